"""Copies between host and device: what they take, when they return (promises P3.1 and P3.5)."""

import mmap
import resource
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp
from support.streams import held_back, returns_without_waiting, soon

pytestmark = pytest.mark.cupola_only

RNG = np.random.default_rng(7)
SMALL, MIDDLE, LARGE = 100, 300_000, 3_000_000  # elements of float32: inline, one slot, the ring


@pytest.fixture
def stream() -> Iterator[Any]:
    """A stream of its own, which is the current one."""
    stream = cp.Stream(non_blocking=True)
    with stream:
        yield stream


def values(count: int) -> np.ndarray:
    return RNG.random(count, dtype=np.float32)


def pinned(count: int) -> np.ndarray:
    if not hasattr(cp, "empty_pinned"):
        pytest.skip("there is no pinned memory for NumPy")
    result = cp.empty_pinned(count, dtype=np.float32)
    result[:] = values(count)
    return result


def mapped(count: int, folder: Path) -> np.ndarray:
    path = folder / "mapped"
    values(count).tofile(path)
    return np.memmap(path, dtype=np.float32, mode="r+")


KINDS: dict[str, Callable[[int, Path], np.ndarray]] = {
    "pageable": lambda count, _: values(count),
    "pinned": lambda count, _: pinned(count),
    "memory-mapped": mapped,
    "every other": lambda count, _: values(2 * count)[::2],
    "backwards": lambda count, _: values(count)[::-1],
    "transposed": lambda count, _: values(count).reshape(2, -1).T,
    "other byte order": lambda count, _: values(count).astype(">f4"),
}

UPLOADS: dict[str, Callable[..., Any]] = {
    "array": lambda host, **options: cp.array(host, **options),
    "asarray": lambda host, **options: cp.asarray(host, **options),
    "set": lambda host, **options: _set(host.shape, host, **options),
    "set a view": lambda host, **options: _set((*host.shape, 2), host, **options),
}


def _set(shape: tuple[int, ...], host: np.ndarray, **options: Any) -> Any:
    if not host.dtype.isnative:
        pytest.skip("set() wants the same dtype")
    array = cp.empty(shape, host.dtype)
    target = array if array.ndim == host.ndim else array[..., 0]
    target.set(host, **options)
    return target


@pytest.mark.parametrize("count", [SMALL, MIDDLE, LARGE])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("upload", UPLOADS)
def test_p3_1_the_source_may_change_after_the_call(
    upload: str, kind: str, count: int, tmp_path: Path
) -> None:
    """Default arguments: the value is that of the time of the call."""
    host = KINDS[kind](count, tmp_path)
    expected = np.array(host)
    array = UPLOADS[upload](host)
    host[...] = -1
    assert np.array_equal(cp.asnumpy(array), expected)


@pytest.mark.parametrize("count", [SMALL, MIDDLE, LARGE])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("upload", UPLOADS)
def test_p3_5_uploads_with_blocking_false_do_not_wait(
    upload: str, kind: str, count: int, tmp_path: Path, stream: Any
) -> None:
    """Nor do they read the source later: it changes while the stream is held back."""
    host = KINDS[kind](count, tmp_path)
    expected = np.array(host)
    UPLOADS[upload](host, blocking=True)  # whatever is made at first use

    def work() -> Any:
        with stream:
            return UPLOADS[upload](host, blocking=False)

    with held_back(stream):
        array = returns_without_waiting(work)
        host[...] = -1
    assert np.array_equal(cp.asnumpy(array), expected)


@pytest.mark.parametrize("count", [SMALL, MIDDLE, LARGE])
def test_p3_1_the_source_may_be_unmapped_after_the_call(count: int, stream: Any) -> None:
    """Reading it later would end the process."""
    memory = mmap.mmap(-1, count * 4)
    host = np.frombuffer(memory, dtype=np.float32)
    host.flags.writeable = True
    host[:] = values(count)
    expected = host.copy()
    with held_back(stream):
        array = cp.asarray(host, blocking=False)
        del host
        memory.close()
    assert np.array_equal(cp.asnumpy(array), expected)


def test_p3_1_assigned_sources_may_change_after_the_call() -> None:
    """Item assignment and copyto."""
    host = values(LARGE)
    expected = host.copy()
    a, b = cp.empty(LARGE, np.float32), cp.empty(LARGE, np.float32)
    a[:] = host
    cp.copyto(b, host)
    host[:] = -1
    assert np.array_equal(cp.asnumpy(a), expected)
    assert np.array_equal(cp.asnumpy(b), expected)


@pytest.mark.parametrize("count", [SMALL, MIDDLE, LARGE])
@pytest.mark.parametrize("kind", ["pageable", "pinned", "every other"])
def test_p3_5_downloads_with_blocking_false_do_not_wait(
    kind: str, count: int, tmp_path: Path, stream: Any
) -> None:
    expected = values(count)
    array = cp.asarray(expected)
    cp.asnumpy(array)
    out = KINDS[kind](count, tmp_path)
    out[...] = -1

    def work() -> Any:
        with stream:
            return array.get(out=out, blocking=False), cp.asnumpy(array, blocking=False)

    with held_back(stream) as gate:
        given, new = returns_without_waiting(work)
        assert given is out
        assert out[0] == -1
        gate.set()
        stream.synchronize()
        assert np.array_equal(out, expected)
        assert np.array_equal(new, expected)


def test_the_given_stream_copies(stream: Any) -> None:
    """And the thread's current stream is what it was."""
    other = cp.Stream(non_blocking=True)
    host = values(MIDDLE)
    with held_back(stream):
        array = cp.asarray(host, stream=other)
        assert np.array_equal(array.get(stream=other), host)
        array.set(host + 1, stream=other)
        assert np.array_equal(cp.asnumpy(array, stream=other), host + 1)
    assert cp.current_stream() == stream


def test_blocking_true_waits_for_the_copy(stream: Any) -> None:
    array = cp.asarray(values(LARGE), blocking=True)
    assert stream.done
    array.set(values(LARGE), blocking=True, source="borrow")
    assert stream.done


@pytest.mark.parametrize("source", ["snapshot", "keepalive", "borrow"])
@pytest.mark.parametrize("blocking", [None, True, False])
@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (1,), (257, 3), (1200, 1000)])
@pytest.mark.parametrize("dtype", ["float32", "complex128", "bool", "int8"])
def test_every_mode_gives_the_elements(
    dtype: str, shape: tuple[int, ...], blocking: bool | None, source: str
) -> None:
    host = np.asarray(RNG.integers(0, 2, shape)).astype(dtype)
    for order in ("C", "F"):
        laid_out = np.array(host, order=order)
        array = cp.array(laid_out, blocking=blocking, source=source)
        assert np.array_equal(cp.asnumpy(array), host)
        flipped = np.array(laid_out == 0, dtype=dtype, order=order)
        array.set(flipped, blocking=blocking, source=source)
        cp.synchronize()
        assert np.array_equal(array.get(), flipped)


def test_another_dtype_is_converted_before_the_call_returns(stream: Any) -> None:
    host = values(MIDDLE)
    expected = host.astype(np.float64)
    with held_back(stream):
        array = cp.array(host, dtype=np.float64, blocking=False, source="keepalive")
        host[:] = -1
    assert np.array_equal(cp.asnumpy(array), expected)


def test_arrays_of_two_threads_are_read_at_once() -> None:
    """One thread's copy to the host does not hold up another's of the same array."""
    array = cp.asarray(values(LARGE))
    expected = cp.asnumpy(array)
    first, second = cp.Stream(), cp.Stream()

    def read() -> np.ndarray:
        with second:
            return cp.asnumpy(array)

    with held_back(first):
        late = array.get(stream=first, blocking=False)
        assert np.array_equal(returns_without_waiting(read), expected)
    assert np.array_equal(late, expected)


def test_a_write_waits_for_readers_on_other_streams() -> None:
    array = cp.asarray(values(LARGE))
    expected = cp.asnumpy(array)
    reader = cp.Stream()
    with held_back(reader):
        late = array.get(stream=reader, blocking=False)
        array.set(np.zeros(LARGE, np.float32), blocking=False)
    assert np.array_equal(late, expected)
    assert not cp.asnumpy(array).any()


def test_moves_between_host_and_devices(stream: Any) -> None:
    """`from_dlpack` of host memory, and `to_device`."""
    host = values(LARGE)
    device = cp.current_device()
    array = cp.from_dlpack(host, device=device, copy=True)
    expected = host.copy()
    host[:] = -1
    assert np.array_equal(cp.asnumpy(array), expected)
    there = array.to_device("cpu:0")
    back = there.to_device(device)
    assert np.array_equal(cp.asnumpy(back), expected)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda a, h: a.set(h, source="copy"), ValueError, "snapshot"),
        (lambda a, h: cp.array(h, source=3), ValueError, "keepalive"),
        (lambda a, h: cp.asarray(h, stream=7), TypeError, "stream"),
        (lambda a, h: a.get(stream="main"), TypeError, "stream"),
        (lambda a, h: a.get(out=h[:5], blocking=False), ValueError, "shape"),
        (lambda a, h: a.get(out=h.astype("f8"), blocking=False), TypeError, "dtype"),
        (lambda a, h: a.get(out=[0.0] * 10, blocking=False), TypeError, r"numpy\.ndarray"),
        (lambda a, h: cp.broadcast_to(a, (2, 10)).set(np.zeros((2, 10), "f4")), ValueError, "read"),
    ],
)
def test_bad_arguments_change_nothing(
    call: Callable[[Any, np.ndarray], Any], error: type[Exception], message: str
) -> None:
    host = values(10)
    array = cp.asarray(host)
    with pytest.raises(error, match=message):
        call(array, host)
    assert np.array_equal(array.get(), host)


def test_a_stream_of_another_device_is_refused() -> None:
    devices = cp.all_devices()
    if len(devices) < 2:
        pytest.skip("needs two devices")
    with devices[1]:
        foreign = cp.Stream()
    with pytest.raises(cp.errors.DeviceError, match=r":1.*:0"):
        cp.array(values(10), device=devices[0], stream=foreign)


def test_a_source_that_changes_while_it_is_lent_is_reported(stream: Any) -> None:
    cp.check_lent_sources()
    try:
        for source in ("keepalive", "borrow"):
            changed, kept = values(MIDDLE), values(MIDDLE)
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                with held_back(stream):
                    arrays = [
                        cp.array(host, blocking=False, source=source) for host in (changed, kept)
                    ]
                    changed[5] = -1
                assert soon(lambda caught=caught: len(caught) > 0)
                assert np.array_equal(cp.asnumpy(arrays[1]), kept)
            assert len(caught) == 1
            assert "was changed before the copy was done" in str(caught[0].message)
    finally:
        cp.check_lent_sources(False)


def test_large_results_are_ordinary_arrays() -> None:
    a = cp.arange(1 << 21, dtype=np.float64)
    result = cp.asnumpy(a)
    assert result.flags.owndata
    assert result.flags.writeable
    result.resize(1 << 22, refcheck=False)
    assert np.array_equal(result[: 1 << 21], np.arange(1 << 21))
    assert not result[1 << 21 :].any()
    pairs = cp.asnumpy(a.reshape(1 << 20, 2), order="F")
    assert np.array_equal(pairs, cp.asnumpy(a).reshape(-1, 2))


def test_pages_of_large_results_serve_again() -> None:
    a = cp.ones(3 << 21, dtype=np.float64)
    pages = a.nbytes // resource.getpagesize()
    cp.asnumpy(a)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(8):
        cp.asnumpy(a)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before < pages
