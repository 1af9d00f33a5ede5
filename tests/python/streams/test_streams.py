"""Streams: order, scopes, the null stream, host functions, threads, foreign streams."""

import gc
import pickle
import sys
import threading
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, on_cuda
from support.compare import assert_same
from support.streams import SECONDS, Gate, soon
from support.subprocesses import output_of, run_python
from support.threads import in_threads

pytestmark = pytest.mark.cupola_only
Stream: Any = getattr(getattr(cp, "cuda", None), "Stream", None)
Event: Any = getattr(getattr(cp, "cuda", None), "Event", None)


@pytest.fixture
def stream() -> Iterator[Any]:
    """A stream of the current device."""
    result = Stream(non_blocking=True)
    yield result
    result.synchronize()


@pytest.fixture
def blocked(stream: Any) -> Iterator[Gate]:
    """The stream, held back; opened after the test at the latest."""
    gate = Gate(stream)
    yield gate
    gate.open()


def test_forms_of_streams() -> None:
    for made in (Stream(), Stream(non_blocking=True), Stream(priority=-1), Stream(False, True)):
        assert made.done
        assert made.device == cp.Device()
        assert made.device_id == cp.Device().id
        assert made.ptr != 0
        made.synchronize()
    assert len({Stream().ptr for _ in range(3)} | {Stream.null.ptr}) >= 2
    with pytest.raises(ValueError, match="null or ptds"):
        Stream(null=True, ptds=True)


def test_identities_are_never_reused() -> None:
    seen = set()
    for _ in range(200):
        made = Stream()
        assert made.id not in seen
        seen.add(made.id)
        del made


def test_scopes_nest_and_restore(stream: Any) -> None:
    before = cp.cuda.get_current_stream()
    other = Stream()
    with stream:
        assert cp.cuda.get_current_stream() == stream
        with other:
            assert cp.cuda.get_current_stream() == other
            with stream:
                assert cp.cuda.get_current_stream() == stream
            assert cp.cuda.get_current_stream() == other
        with Stream.null:
            assert cp.cuda.get_current_stream() == before
        assert cp.cuda.get_current_stream() == stream
    assert cp.cuda.get_current_stream() == before
    with pytest.raises(ZeroDivisionError), stream:
        raise ZeroDivisionError
    assert cp.cuda.get_current_stream() == before


def test_use(stream: Any) -> None:
    assert stream.use() is stream
    assert cp.cuda.get_current_stream() == stream
    Stream.null.use()
    assert cp.cuda.get_current_stream() == Stream.null == Stream.ptds


def test_each_thread_has_its_own_default_stream() -> None:
    barrier = threading.Barrier(8)

    def work(_: int) -> int:
        barrier.wait(SECONDS)  # all at the same time, so that none takes over another's
        mine = cp.cuda.get_current_stream()
        assert mine == Stream.ptds
        barrier.wait(SECONDS)
        return int(mine.id)

    assert len(set(in_threads(work, 8))) == 8


def test_current_stream_belongs_to_the_thread(stream: Any) -> None:
    with stream:
        assert in_threads(lambda i: cp.cuda.get_current_stream() == stream, 2) == [False, False]


def test_uses_of_one_array_are_ordered_whatever_their_streams(stream: Any) -> None:
    a = cp.zeros(1000)
    gate = Gate(stream)
    with stream:
        a += 1  # behind the gate
    b = a * 2  # on the default stream: waits
    assert not Stream.ptds.done
    gate.open()
    assert_same(b, np.full(1000, 2.0))


def test_memory_is_first_used_on_another_stream_than_it_was_taken_on(stream: Any) -> None:
    other = Stream(non_blocking=True)
    gate = Gate(stream)
    with stream:
        a = cp.zeros(1000)
        a += 1  # behind the gate
        del a
        b = cp.empty(1000)  # may be the same memory
    with other:
        b[:] = 5
    assert not other.done
    gate.open()
    assert_same(b, np.full(1000, 5.0))


def test_host_functions_may_use_kernels_for_the_first_time(stream: Any) -> None:
    """While nothing is queued behind them."""
    found: list[float] = []

    def work(_: Any) -> None:
        a = cp.arange(7.0)
        found.append(float(cp.expm1(a * 3 - a).sum()))

    stream.launch_host_func(work, None)
    stream.synchronize()
    expected = np.expm1(np.arange(7.0) * 2).sum()
    assert len(found) == 1
    assert abs(found[0] - expected) < 1e-9 * expected


@pytest.mark.skipif(not on_cuda(), reason="needs a GPU")
def test_host_functions_cannot_load_kernels_for_work_queued_behind_them(stream: Any) -> None:
    """CUDA would wait for the stream, which waits for the function."""
    kernel = cp.RawKernel('extern "C" __global__ void alone(float* x) { *x = 3; }', "alone")
    a = cp.zeros(1, "float32")
    _ = a + 1
    queued = threading.Event()
    errors: list[Exception] = []

    def work(_: Any) -> None:
        queued.wait(SECONDS)
        try:
            kernel((1,), (1,), (a,))
        except cp.errors.LaunchError as error:
            errors.append(error)

    stream.launch_host_func(work, None)
    with stream:
        b = a + 1
        cp.eval(b)
    queued.set()
    stream.synchronize()
    assert "loads kernels only when no stream waits" in str(errors[0])
    kernel((1,), (1,), (a,))
    assert_same(a, np.full(1, 3, "float32"))
    assert_same(b, np.ones(1, "float32"))


def test_done_and_synchronize(blocked: Gate, stream: Any) -> None:
    assert not stream.done
    assert Stream().done
    blocked.open()
    assert stream.done


def test_wait_event_orders_streams(blocked: Gate, stream: Any) -> None:
    event = stream.record()
    order: list[str] = []
    other = Stream(non_blocking=True)
    other.wait_event(event)
    other.launch_host_func(order.append, "after")
    assert not event.done
    assert not other.done
    stream.launch_host_func(order.append, "before")
    blocked.open()
    other.synchronize()
    assert event.done
    assert sorted(order) == ["after", "before"]


def test_null_stream_waits_for_all_that_are_not_non_blocking() -> None:
    blocking = Stream(non_blocking=False)
    apart = Stream(non_blocking=True)
    gates = [Gate(blocking), Gate(apart)]
    try:
        assert not Stream.null.done
        opener = threading.Timer(0.02, gates[0].open)
        opener.start()
        Stream.null.synchronize()  # though `apart` is stuck
        assert blocking.done
        assert not apart.done
        assert Stream.null.done
        opener.join()
    finally:
        for gate in gates:
            gate.open()


def test_null_stream_stands_for_the_default_streams_of_all_threads() -> None:
    begun, release = threading.Event(), threading.Event()

    def work() -> None:
        gate = Gate(cp.cuda.get_current_stream())
        begun.set()
        release.wait(SECONDS)
        gate.open()

    thread = threading.Thread(target=work)
    thread.start()
    begun.wait(SECONDS)
    assert not Stream.null.done
    assert Stream.ptds.done
    event = Stream.null.record()
    assert not event.done
    release.set()
    thread.join()
    event.synchronize()
    Stream.null.synchronize()
    assert Stream.null.done


def test_null_stream_is_waited_for_by_event() -> None:
    source = Stream(non_blocking=True)
    gate = Gate(source)
    try:
        Stream.null.wait_event(source.record())
        assert not Stream.ptds.done
    finally:
        gate.open()
    Stream.null.synchronize()


def test_host_functions_run_in_order_with_their_argument(stream: Any) -> None:
    seen: list[Any] = []
    for i in range(20):
        stream.launch_host_func(seen.append, i)
    stream.add_callback(lambda *given: seen.append(given), "x")
    stream.synchronize()
    assert seen[:20] == list(range(20))
    assert seen[20] == (stream, 0, "x")


def test_host_functions_may_use_the_library(stream: Any) -> None:
    seen: list[float] = []
    a = cp.arange(10.0)
    float((a * 2).sum())  # CUDA may wait for all streams when it loads a kernel
    stream.launch_host_func(lambda b: seen.append(float((b * 2).sum())), a)
    stream.synchronize()
    assert seen == [90.0]


def test_work_waits_for_a_host_function_and_other_streams_do_not(
    blocked: Gate, stream: Any
) -> None:
    blocked.entered.wait(SECONDS)
    others = [Stream(non_blocking=True) for _ in range(4)]
    seen: list[int] = []
    for i, other in enumerate(others):
        other.launch_host_func(seen.append, i)
        other.synchronize()
    assert seen == [0, 1, 2, 3]
    with stream:
        a = cp.ones(10) + 1
    assert not stream.done
    blocked.open()
    assert_same(a, np.full(10, 2.0))


def test_host_functions_hold_no_lock() -> None:
    """Two of them wait for each other, while this thread computes."""
    barrier = threading.Barrier(3)
    streams = [Stream(non_blocking=True) for _ in range(2)]
    for each in streams:
        each.launch_host_func(lambda _: barrier.wait(SECONDS), None)
    assert float(cp.ones(100).sum()) == 100.0
    barrier.wait(SECONDS)
    for each in streams:
        each.synchronize()


def test_exceptions_of_host_functions_are_reported(
    stream: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", reported.append)
    stream.launch_host_func(lambda _: 1 // 0, None)
    stream.synchronize()
    assert [report.exc_type for report in reported] == [ZeroDivisionError]


def test_host_functions_are_released_after_they_ran(stream: Any) -> None:
    class Thing:
        pass

    thing = Thing()
    watch = weakref.ref(thing)
    stream.launch_host_func(lambda _: None, thing)
    del thing
    stream.synchronize()
    # A thread without the interpreter lock leaves it to one that gets it.
    assert soon(lambda: watch() is None)


def test_a_stream_lives_until_its_host_function_ran() -> None:
    ran = threading.Event()
    made = Stream(non_blocking=True)
    gate = Gate(made)
    made.launch_host_func(lambda _: ran.set(), None)
    release = gate._open
    del made, gate
    gc.collect()
    release.set()
    assert ran.wait(SECONDS)


def test_wrong_arguments(stream: Any) -> None:
    with pytest.raises(TypeError, match="callable"):
        stream.launch_host_func(3, None)
    with pytest.raises(TypeError):
        stream.wait_event(None)
    with pytest.raises(TypeError, match="pickle"):
        pickle.dumps(stream)


def test_streams_of_another_device_are_refused() -> None:
    code = """
import cupola as cp
a = cp.zeros(3)
other = cp.cuda.Stream(device="cpu:1")
for call in (lambda: a.get(stream=other), lambda: cp.asarray([1.0], device="cpu:0", stream=other)):
    try:
        call()
    except cp.errors.DeviceError as error:
        assert "cpu:0" in str(error) and "cpu:1" in str(error), error
        print("refused")
event = cp.cuda.Event()
event.record(cp.cuda.Stream())
try:
    event.record(other)
except cp.errors.DeviceError as error:
    assert "cpu:0" in str(error) and "cpu:1" in str(error), error
    print("refused")
"""
    text = output_of(code, CUPOLA_PLATFORM="cpu", CUPOLA_CPU_DEVICES="2")
    assert text.split() == ["refused"] * 3


def test_nothing_is_made_before_a_stream_is_used() -> None:
    code = """
import cupola as cp
streams = [cp.cuda.Stream() for _ in range(10)]
event = cp.cuda.Event()
print(cp._cupola.counters()["streams"], cp._cupola.counters()["events"])
streams[0].launch_host_func(print, "ran")
streams[0].synchronize()
print(cp._cupola.counters()["streams"])
"""
    assert output_of(code).split() == ["0", "0", "ran", "1"]


def test_the_process_ends_with_functions_still_queued() -> None:
    code = """
import threading
import cupola as cp
s = cp.cuda.Stream()
begun = threading.Event()
s.launch_host_func(lambda _: begun.set(), None)
for i in range(100):
    s.launch_host_func(lambda _: None, None)
begun.wait(60)
"""
    for _ in range(3):
        result = run_python(code)
        assert result.returncode == 0, result.stderr
        assert result.stderr == ""


def test_external_streams_need_a_cuda_device() -> None:
    code = """
import cupola as cp
try:
    cp.cuda.ExternalStream(1234)
except cp.errors.DeviceError as error:
    print(error)
"""
    assert "cpu:0" in output_of(code, CUPOLA_PLATFORM="cpu")


def test_short_lived_threads_leave_nothing() -> None:
    """A thousand threads share a few streams, one after another."""

    def work(i: int) -> float:
        return float((cp.ones(64) * i).sum())

    in_threads(work, 8)
    before = cp._cupola.counters()
    for _ in range(125):
        assert in_threads(work, 8) == [64.0 * i for i in range(8)]
    after = cp._cupola.counters()
    assert after["streams"] - before["streams"] <= 8
    assert after["events"] - before["events"] <= 16
    assert after["library_handles"] == before["library_handles"]


def test_external_streams_share_the_native_stream(stream: Any) -> None:
    external = cp.cuda.ExternalStream(stream.ptr)
    assert external.ptr == stream.ptr
    assert isinstance(external, Stream)
    assert cp.cuda.ExternalStream(stream.ptr) == external
    gate = Gate(stream)
    assert not external.done
    with external:
        a = cp.ones(10) * 3
    gate.open()
    external.synchronize()
    assert_same(a, np.full(10, 3.0))


@pytest.mark.skipif(not on_cuda(), reason="needs a GPU")
def test_arrays_outlive_the_external_stream() -> None:
    """The other library destroys its stream right after the last use here."""
    for _ in range(20):
        owner = Stream(non_blocking=True)
        with cp.cuda.ExternalStream(owner.ptr):
            a = cp.ones(1 << 16) * 2
        owner.synchronize()
        del owner
        b = a + 1
        assert float(b.sum()) == 3.0 * (1 << 16)
        del a, b
    cp.cuda.runtime.deviceSynchronize()


def test_streams_are_compared_with_anything(stream: Any) -> None:
    assert stream == stream
    assert stream != Stream()
    assert stream is not None
    for other in (None, 3, "stream", cp.Device()):
        assert stream != other
    assert len({stream, stream, Stream.ptds, Stream.null}) == 2
