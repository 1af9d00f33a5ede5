"""Streams handed over to other libraries and back: DLPack, array interfaces, __cuda_stream__."""

import gc
import importlib.util
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, on_cuda
from support.compare import assert_same
from support.fake_cuda import needs_fake_cuda, output_on_fake_cuda
from support.producer import Producer
from support.streams import Gate

pytestmark = pytest.mark.cupola_only
needs_gpu = pytest.mark.skipif(not on_cuda(), reason="needs a GPU")
Stream: Any = getattr(getattr(cp, "cuda", None), "Stream", None)
SIZE = 1 << 16


@pytest.fixture(autouse=True)
def one_device() -> Iterator[None]:
    """Streams that other libraries know are of one device, and arrays for them on it."""
    if not on_cuda():
        yield
        return
    with cp.cuda.Device(0):
        yield


class OtherStream:
    """What another library's stream object looks like."""

    def __init__(self, address: int, version: int = 0) -> None:
        self.address = address
        self.version = version

    def __cuda_stream__(self) -> tuple[int, int]:
        """Version and address."""
        return self.version, self.address


# ---- any platform


def test_our_streams_have_the_protocol() -> None:
    stream = Stream()
    assert stream.__cuda_stream__() == (0, stream.ptr)
    assert Stream.null.__cuda_stream__() == (0, Stream.null.ptr)


def test_streams_of_others_are_known_by_the_protocol() -> None:
    with pytest.raises(TypeError, match="__cuda_stream__ has version 7"):
        cp._cupola.as_stream(OtherStream(1, version=7))
    broken = OtherStream(1)
    broken.__cuda_stream__ = lambda: 5  # type: ignore[method-assign, assignment, return-value]
    with pytest.raises(TypeError, match="must return"):
        cp._cupola.as_stream(broken)
    with pytest.raises(TypeError, match=r"ExternalStream\(address\)"):
        cp._cupola.as_stream(5)
    if not on_cuda():
        with pytest.raises(cp.errors.DeviceError, match="cpu:0"):
            Stream.from_external(OtherStream(1))


def test_producers_are_given_the_current_stream() -> None:
    producer = Producer(cp.arange(5))
    stream = Stream(non_blocking=True)
    with stream:
        array = cp.from_dlpack(producer)
    expected = stream.ptr if on_cuda() else None
    assert producer.asked == [{"stream": expected, "max_version": (1, 0)}]
    assert_same(array, np.arange(5))


def test_views_by_dlpack_are_in_the_order_of_streams() -> None:
    """What one stream writes through one array, another reads through the other."""
    first, second = Stream(non_blocking=True), Stream(non_blocking=True)
    a = cp.zeros(SIZE)
    with first:
        for _ in range(200):
            a += 1
        b = cp.from_dlpack(a)
    with second:
        b *= 2
    with first:
        a += 1
    assert_same(b, np.full(SIZE, 401.0))


def test_host_consumers_get_finished_arrays() -> None:
    """NumPy has no streams: the values are there when it gets the array."""
    stream = Stream(non_blocking=True)
    if on_cuda():
        pytest.skip("the streams here are those of CUDA devices")
    source = cp.zeros(1000)
    for take in (np.from_dlpack, np.asarray, memoryview):
        gate = Gate(stream)
        with stream:
            source += 1
        import threading

        opener = threading.Timer(0.01, gate.open)
        opener.start()
        taken = np.asarray(take(source))  # type: ignore[operator]
        np.testing.assert_array_equal(taken, np.full(1000, taken[0]))
        assert stream.done
        opener.join()
    np.testing.assert_array_equal(taken, np.full(1000, 3.0))


def test_streams_of_dlpack_on_the_host() -> None:
    a = cp.arange(3, device="cpu:0")
    for wrong in (-1, 0, 1, 2, 12345):
        with pytest.raises(ValueError, match="stream must be None"):
            a.__dlpack__(stream=wrong)


# ---- on the driver without GPUs: what other libraries do there is work on streams of theirs, of
# which this library sees nothing. `hold` keeps a stream busy, `is_done` asks the driver.

OTHER_LIBRARY = """
import time
from ctypes import byref, c_void_p

def new_stream():
    context, stream = c_void_p(), c_void_p()
    assert fake.cuDevicePrimaryCtxRetain(byref(context), 0) == 0
    assert fake.cuCtxPushCurrent_v2(context) == 0
    assert fake.cuStreamCreate(byref(stream), 1) == 0
    assert fake.cuCtxPopCurrent_v2(byref(context)) == 0
    return stream

def hold(stream):
    fake.fake_cuda_hold(c_void_p(getattr(stream, "ptr", None) or stream.value))

def release(stream):
    fake.fake_cuda_release(c_void_p(getattr(stream, "ptr", None) or stream.value))

def is_done(stream):
    answer = fake.cuStreamQuery(c_void_p(getattr(stream, "ptr", None) or stream.value))
    assert answer in (0, 600), answer
    return answer == 0

class Interface:
    def __init__(self, array, stream):
        self.array = array
        self.__cuda_array_interface__ = {**array.__cuda_array_interface__, "stream": stream}

SIZE = 1 << 16
first = cp.zeros(SIZE)
first.data.ptr
"""


@needs_fake_cuda
def test_memory_that_a_consumer_gave_back_is_taken_again_when_it_is_done() -> None:
    code = """
consumer = new_stream()
a = cp.full(SIZE, 7.0)
address = a.data.ptr
capsule = a.__dlpack__(stream=consumer.value, max_version=(1, 0))
hold(consumer)  # its work on the array
del a, capsule
taken = [cp.full(SIZE, -1.0) for _ in range(8)]
print(address in [each.data.ptr for each in taken], is_done(cp.cuda.get_current_stream()))
release(consumer)
for _ in range(200):
    taken.append(cp.full(SIZE, -1.0))
    if taken[-1].data.ptr == address:
        break
    time.sleep(0.01)
print(taken[-1].data.ptr == address)
"""
    assert output_on_fake_cuda(OTHER_LIBRARY + code) == "False True\nTrue"


@needs_fake_cuda
def test_writes_wait_for_consumers_that_gave_an_array_back() -> None:
    code = """
consumer = new_stream()
a = cp.full(SIZE, 7.0)
capsule = a.__dlpack__(stream=consumer.value, max_version=(1, 0))
hold(consumer)
del capsule
work = cp.cuda.Stream(non_blocking=True)
with work:
    a += 1
    cp.flush()
print(is_done(work))
release(consumer)
print(is_done(work))
"""
    assert output_on_fake_cuda(OTHER_LIBRARY + code) == "False\nTrue"


@needs_fake_cuda
def test_only_the_consumer_that_is_named_waits() -> None:
    code = """
consumer, other = new_stream(), new_stream()
work = cp.cuda.Stream(non_blocking=True)
a = cp.zeros(SIZE)
with work:
    a += 1
    cp.flush()
    hold(work)
    a += 1
capsules = [a.__dlpack__(stream=consumer.value, max_version=(1, 0)),
            a.__dlpack__(stream=-1, max_version=(1, 0))]
print(is_done(consumer), is_done(other))
release(work)
print(is_done(consumer))
"""
    assert output_on_fake_cuda(OTHER_LIBRARY + code) == "False True\nTrue"


@needs_fake_cuda
def test_uses_wait_for_the_stream_that_a_producer_names() -> None:
    code = """
producer = new_stream()
hold(producer)
for stream in (producer.value, None):
    imported = cp.asarray(Interface(first, stream))
    work = cp.cuda.Stream(non_blocking=True)
    with work:
        doubled = imported * 2
        cp.flush()
    print(is_done(work))
    last = work if stream else last
release(producer)
print(is_done(last))
"""
    assert output_on_fake_cuda(OTHER_LIBRARY + code) == "False\nTrue\nTrue"


# ---- on a GPU


@needs_gpu
@pytest.mark.parametrize("stream", [None, 1, 2, -1, "own"])
def test_numbers_of_dlpack_streams(stream: Any) -> None:
    a = cp.arange(3)
    own = Stream(non_blocking=True)
    number = own.ptr if stream == "own" else stream
    capsule = a.__dlpack__(stream=number, max_version=(1, 0))
    assert_same(cp._cupola.import_capsule(capsule), np.arange(3))
    for wrong in (0, -2):
        with pytest.raises(ValueError, match="stream must be -1, 1, 2"):
            a.__dlpack__(stream=wrong)


@needs_gpu
def test_consumers_streams_wait_and_the_host_does_not() -> None:
    work, consumer = Stream(non_blocking=True), Stream(non_blocking=True)
    a = cp.zeros(SIZE)
    gate = Gate(work)
    with work:
        a += 1
    capsule = a.__dlpack__(stream=consumer.ptr, max_version=(1, 0))  # returns at once
    assert not consumer.done
    alone = Stream(non_blocking=True)
    unordered = a.__dlpack__(stream=-1, max_version=(1, 0))
    assert alone.done
    gate.open()
    consumer.synchronize()
    del capsule, unordered


@needs_gpu
def test_memory_given_back_is_not_reused_before_the_consumer_is_done() -> None:
    consumer = Stream(non_blocking=True)
    copy = cp.RawKernel(
        """extern "C" __global__ void copy(const double* from, double* to, int n) {
          for (int i = threadIdx.x; i < n; i += blockDim.x) to[i] = from[i]; }""",
        "copy",
    )
    copy.compile()
    target = cp.zeros(SIZE)
    a = cp.full(SIZE, 7.0)
    address = a.data.ptr
    cp.cuda.get_current_stream().synchronize()
    capsule = a.__dlpack__(stream=consumer.ptr, max_version=(1, 0))
    gate = Gate(consumer)
    with consumer:  # by address alone: the library does not see this use of `a`
        copy((1,), (256,), (address, target, SIZE))
    del a, capsule
    gc.collect()
    for _ in range(8):
        cp.full(SIZE, -1.0)
    gate.open()
    assert_same(target, np.full(SIZE, 7.0))


@needs_gpu
def test_array_interface_names_the_stream_on_which_the_array_is_ready() -> None:
    work = Stream(non_blocking=True)
    a = cp.zeros(SIZE)
    gate = Gate(work)
    with work:
        a += 1
    interface = a.__cuda_array_interface__
    assert interface["version"] == 3
    assert interface["stream"] == cp.cuda.get_current_stream().ptr != 0
    assert not cp.cuda.get_current_stream().done
    gate.open()
    with work:
        assert a.__cuda_array_interface__["stream"] == work.ptr


class Interface:
    """A producer of version 3."""

    def __init__(self, array: Any, **changes: Any) -> None:
        self.array = array
        self.__cuda_array_interface__ = {**array.__cuda_array_interface__, **changes}


@needs_gpu
@pytest.mark.parametrize("numbered", [False, True])
def test_the_producers_stream_is_waited_for(numbered: bool) -> None:
    work = Stream(non_blocking=True)
    a = cp.zeros(SIZE)
    cp.cuda.Stream.null.synchronize()
    producer = Interface(a, stream=work.ptr if numbered else None)
    gate = Gate(work)
    imported = cp.asarray(producer)
    doubled = imported * 2
    other = Stream(non_blocking=True)
    with other:
        again = imported + 1
    for each in (cp.cuda.get_current_stream(), other):
        if numbered:
            assert not each.done
        else:
            each.synchronize()
    gate.open()
    assert_same(doubled, np.zeros(SIZE))
    assert_same(again, np.ones(SIZE))


@needs_gpu
@pytest.mark.parametrize("stream", [1, 2])
def test_default_streams_of_producers(stream: int) -> None:
    imported = cp.asarray(Interface(cp.ones(5), stream=stream))
    assert_same(imported, np.ones(5))
    for wrong in (0, -1):
        with pytest.raises(ValueError, match="must be 1, 2, an address or None"):
            cp.asarray(Interface(cp.ones(5), stream=wrong))


@needs_gpu
def test_streams_of_others_are_accepted_and_kept() -> None:
    own = Stream(non_blocking=True)
    other = OtherStream(own.ptr)
    kernel = cp.RawKernel('extern "C" __global__ void k(float* x) { *x = 3; }', "k")
    x = cp.zeros(1, "float32")
    kernel((1,), (1,), (x,), stream=other)
    assert x.tolist() == [3.0]
    event = cp.cuda.Event()
    event.record(other)
    event.synchronize()
    assert Stream.from_external(other).ptr == own.ptr


@needs_gpu
@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="needs PyTorch")
def test_pytorch() -> None:
    import torch

    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        tensor = torch.zeros(SIZE, device="cuda")
        for _ in range(20):
            tensor = tensor + 1
        array = cp.from_dlpack(tensor)
    assert_same(array * 2, np.full(SIZE, 40, "float32"))
    for _ in range(10):
        a = cp.ones(SIZE, "float32") * 3
        with torch.cuda.stream(side):
            b = torch.from_dlpack(a) + 1
        del a
        assert_same(cp.full(SIZE, -1.0), np.full(SIZE, -1.0))
        assert bool((b == 4).all())
    with cp.cuda.ExternalStream(side.cuda_stream):
        c = cp.ones(SIZE, "float32") + 1
    with torch.cuda.stream(side):
        d = torch.as_tensor(c, device="cuda") * 2
    assert bool((d == 4).all())


@needs_gpu
@pytest.mark.skipif(importlib.util.find_spec("cupy") is None, reason="needs CuPy")
def test_cupy() -> None:
    import cupy

    side = cupy.cuda.Stream(non_blocking=True)
    with side:
        source = cupy.zeros(SIZE)
        for _ in range(20):
            source = source + 1
        array = cp.asarray(source)
    assert_same(array * 2, np.full(SIZE, 40.0))
    a = cp.ones(SIZE) * 3
    with side:
        b = cupy.asarray(a) + 1
    assert bool((b == 4).all())
    with cp.cuda.ExternalStream(side.ptr):
        c = cp.ones(SIZE) + 1
    with side:
        assert bool((cupy.from_dlpack(c) == 2).all())


@needs_gpu
def test_memory_of_consumers_without_a_stream_is_not_reused_while_they_work() -> None:
    """Work on the legacy default stream goes on after the consumer has dropped the array."""
    legacy = cp.cuda.ExternalStream(1)
    slow = cp.RawKernel(
        """extern "C" __global__ void slow(const double* from, double* to, int n) {
          long long begin = clock64(); while (clock64() - begin < 20000000) {}
          for (int i = threadIdx.x; i < n; i += blockDim.x) to[i] = from[i]; }""",
        "slow",
    )
    target = cp.empty(SIZE)
    for _ in range(5):
        a = cp.full(SIZE, 7.0)
        address = a.__cuda_array_interface__["data"][0]
        cp.cuda.get_current_stream().synchronize()
        with legacy:  # by address alone: the library does not see this use of `a`
            slow((1,), (256,), (address, target, SIZE))
        del a
        for _ in range(8):
            cp.full(SIZE, -1.0)
        assert_same(target, np.full(SIZE, 7.0))
