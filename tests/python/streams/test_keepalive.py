"""What copies keep alive, and when they let it go (promises P3.2, P3.3 and P3.4)."""

import gc
import resource
import statistics
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp
from support.streams import held_back, soon

pytestmark = pytest.mark.cupola_only

COUNT = 500_000  # elements of float32
KEEPING: dict[str, Callable[[np.ndarray], Any]] = {
    "array": lambda host: cp.array(host, blocking=False, source="keepalive"),
    "asarray": lambda host: cp.asarray(host, blocking=False, source="keepalive"),
    "set": lambda host: cp.empty(host.shape, host.dtype).set(
        host, blocking=False, source="keepalive"
    ),
    "get": lambda host: cp.ones(host.shape, host.dtype).get(out=host, blocking=False),
    "asnumpy": lambda host: cp.asnumpy(cp.ones(host.shape, host.dtype), out=host, blocking=False),
}


def values(count: int = COUNT) -> np.ndarray:
    return np.random.default_rng(3).random(count, dtype=np.float32)


@pytest.mark.parametrize("call", KEEPING)
def test_p3_2_host_memory_is_kept_until_the_copy_is_done(call: str) -> None:
    stream = cp.Stream()
    KEEPING[call](values())  # CUDA may wait for all streams when it loads a kernel
    host = values()
    reference = weakref.ref(host)
    with held_back(stream):
        with stream:
            result = KEEPING[call](host)
        del host
        if call in ("get", "asnumpy"):
            del result
        gc.collect()
        assert reference() is not None
    assert soon(lambda: reference() is None)


def test_p3_2_a_dropped_source_arrives_whole() -> None:
    """Nobody else gets its memory before it is read."""
    stream = cp.Stream()
    expected = values()
    host = expected.copy()
    array = cp.empty(COUNT, np.float32)
    with held_back(stream):
        array.set(host, stream=stream, blocking=False, source="keepalive")
        del host
        others = [np.full(COUNT, -1, np.float32) for _ in range(5)]
    assert np.array_equal(cp.asnumpy(array), expected)
    del others


def test_p3_3_it_is_released_while_another_stream_is_stuck() -> None:
    """And without any further call: this thread only looks on."""
    stuck, stream = cp.Stream(), cp.Stream()
    stuck_host = values()
    stuck_reference = weakref.ref(stuck_host)
    delays = []
    with held_back(stuck):
        with stuck:
            kept = cp.array(stuck_host, blocking=False, source="keepalive")
        del stuck_host
        for _ in range(20):
            host = values(COUNT // 10)
            released = threading.Event()
            times: list[float] = []

            def note(times: list[float] = times, released: threading.Event = released) -> None:
                times.append(time.perf_counter())
                released.set()

            weakref.finalize(host, note)
            gate = threading.Event()
            opened: list[float] = []

            def hold(_: Any, gate: threading.Event = gate, opened: list[float] = opened) -> None:
                gate.wait(20)
                opened.append(time.perf_counter())

            stream.launch_host_func(hold, None)
            with stream:
                array = cp.array(host, blocking=False, source="keepalive")
            del host
            assert not released.is_set()
            gate.set()
            assert released.wait(20)
            delays.append(times[0] - opened[0])
            del array
        assert stuck_reference() is not None
    del kept
    assert soon(lambda: stuck_reference() is None)
    # The bench measures the millisecond; here the machine may be busy with other tests.
    assert statistics.median(delays) < 0.05


def test_p3_3_flush_and_in_flight_say_what_is_held() -> None:
    cp.flush(wait=True)
    assert soon(lambda: cp.in_flight().things == 0)
    stream = cp.Stream()
    host = values()
    with held_back(stream):
        with stream:
            array = cp.array(host, blocking=False, source="keepalive")
        held = cp.in_flight()
        assert held.things >= 1
        assert held.nbytes >= host.nbytes
        assert cp.flush() == (0, 0)
    released = cp.flush(wait=True)
    assert released.nbytes <= held.nbytes  # the rest had been released before
    assert soon(lambda: cp.in_flight() == (0, 0))
    assert np.array_equal(cp.asnumpy(array), host)


def test_p3_3_free_all_blocks_says_what_it_released() -> None:
    pool = cp.get_default_memory_pool()
    pool.free_all_blocks()
    array = cp.zeros(1 << 20, np.float32)
    cp.synchronize()
    before = pool.total_bytes()
    del array
    pool.free_all_blocks()
    assert pool.total_bytes() <= before - (1 << 22)


def test_p3_4_memory_is_not_reused_while_a_stream_reads_it() -> None:
    """Of the array: freed on one stream while another has yet to read it."""
    reader = cp.Stream()
    expected = values()
    for _ in range(5):
        array = cp.asarray(expected)
        with held_back(reader):
            with reader:
                doubled = array * 2
            del array
            others = [cp.full(COUNT, -1, np.float32) for _ in range(4)]
            cp.current_stream().synchronize()  # which does not wait for the reader
        assert np.array_equal(cp.asnumpy(doubled), expected * 2)
        del others


def test_p3_4_lent_memory_is_kept_while_a_stream_uses_it() -> None:
    """Memory of NumPy, taken over through DLPack and dropped."""
    host = values()
    expected = host * 2
    reference = weakref.ref(host)
    array = cp.from_dlpack(host)
    reader = cp.Stream(device=array.device)
    with held_back(reader):
        with reader:
            doubled = array * 2
        del array, host
        gc.collect()
        assert reference() is not None
    assert np.array_equal(cp.asnumpy(doubled), expected)
    assert soon(lambda: reference() is None)


@pytest.mark.parametrize("source", ["snapshot", "keepalive"])
def test_many_small_copies_are_bounded(source: str) -> None:
    """Nothing piles up behind copies that are done."""
    target = cp.empty(64, np.float32)

    def copy(times: int) -> None:
        for i in range(times):
            target.set(np.full(64, i, np.float32), blocking=False, source=source)

    copy(1000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    copy(50_000)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 32 * 1024  # KiB
    assert target.get()[0] == 49_999
    assert soon(lambda: cp.in_flight().things == 0)


def test_sources_are_dropped_at_exit_without_noise() -> None:
    from support.subprocesses import output_of

    text = (
        "import numpy as np, cupola as cp\n"
        "for _ in range(20):\n"
        "    array = cp.array(np.ones(1_000_000), blocking=False, source='keepalive')\n"
        "print('end')\n"
    )
    assert output_of(text) == "end"
