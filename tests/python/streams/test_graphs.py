"""Stream capture and cp.cuda.Graph."""

import gc
import threading
import weakref
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, on_cuda
from support.marks import one_device
from support.streams import soon

pytestmark = [
    pytest.mark.cupola_only,
    one_device,  # streams of sets are not captured
]


def stream() -> Any:
    return cp.cuda.Stream(non_blocking=True)


def capture(function: Any, s: Any) -> tuple[Any, Any]:
    with s:
        s.begin_capture()
        result = function()
        return s.end_capture(), result


def test_captured_work_runs_at_launches_with_the_inputs_of_then() -> None:
    s = stream()
    a = cp.arange(100.0)
    target = cp.zeros(100)

    def work() -> Any:
        target[...] = cp.sqrt(a) * 2 + 1
        return (target * a).sum()

    graph, total = capture(work, s)
    assert np.array_equal(target.get(), np.zeros(100))
    for start in (0.0, 7.0, 50.0):
        a[...] = cp.arange(start, start + 100.0)
        graph.upload(s)
        graph.launch(s)
        expected = np.sqrt(a.get()) * 2 + 1
        assert np.array_equal(target.get(), expected)
        assert np.isclose(float(total), float((expected * a.get()).sum()), rtol=1e-12)


def test_pending_inputs_are_computed_before_the_capture() -> None:
    s = stream()
    a = cp.arange(1000.0)
    b = a * 3  # waits
    graph, out = capture(lambda: b + 1, s)
    assert np.array_equal(b.get(), a.get() * 3)
    b[...] = 5
    graph.launch(s)
    assert np.array_equal(out.get(), np.full(1000, 6.0))
    assert np.array_equal(b.get(), np.full(1000, 5.0))


def test_inputs_that_wait_on_other_streams_are_no_part_of_it() -> None:
    s, other = stream(), stream()
    a = cp.arange(1000.0)
    with s:
        s.begin_capture()
        with other:
            b = a + 1  # waits, or runs, on the other stream
        c = b * 2
        graph = s.end_capture()
    assert np.array_equal(b.get(), a.get() + 1)
    b[...] = 0
    graph.launch(s)
    assert np.array_equal(c.get(), np.zeros(1000))
    assert np.array_equal(b.get(), np.zeros(1000))


def test_what_a_graph_uses_lives_as_long_as_it() -> None:
    s = stream()
    inputs = [cp.ones(5000)]
    graph, out = capture(lambda: (inputs.pop() + 1).cumsum(), s)
    gc.collect()
    others = [cp.full(5000, 9.0) for _ in range(20)]  # memory of dropped arrays serves again
    graph.launch()
    graph.launch(s)
    expected = np.arange(2.0, 10001.0, 2.0)
    assert np.array_equal(out.get(), expected)
    assert all(bool((each == 9).all()) for each in others)
    del graph, s
    gc.collect()
    assert np.array_equal(out.get(), expected)


def test_temporaries_return_to_the_pool_with_the_graph() -> None:
    s = stream()
    pool = cp.get_default_memory_pool()
    cp.cuda.Device().synchronize()
    a = cp.ones(1 << 16)
    before = pool.used_bytes()
    graph, out = capture(lambda: (a + 1).cumsum().cumsum(), s)
    del out
    graph.launch(s)
    s.synchronize()
    assert pool.used_bytes() >= before + 2 * a.nbytes
    del graph
    gc.collect()
    cp.cuda.Device().synchronize()
    assert pool.used_bytes() == before


def test_launches_are_ordered_with_uses_on_all_streams() -> None:
    first, second = stream(), stream()
    a = cp.zeros(1 << 16)

    def work() -> None:
        nonlocal a
        a += 1

    graph, _ = capture(work, first)
    for _ in range(10):
        graph.launch(first)
        with second:
            a *= 2
        graph.launch(second)
    expected = 0.0
    for _ in range(10):
        expected = (expected + 1) * 2 + 1
    assert np.array_equal(a.get(), np.full(1 << 16, expected))


def test_what_reads_the_old_values_is_computed_before_a_launch() -> None:
    s = stream()
    a = cp.arange(100.0)

    def work() -> None:
        nonlocal a
        a += 1

    graph, _ = capture(work, s)
    before = a * 1  # waits
    graph.launch(s)
    assert np.array_equal(before.get(), np.arange(100.0))
    assert np.array_equal(a.get(), np.arange(1.0, 101.0))


def test_events_fork_and_join_streams() -> None:
    one, two = stream(), stream()
    fork, join = cp.cuda.Event(), cp.cuda.Event()
    a = cp.arange(100.0)
    with one:
        one.begin_capture()
        b = a * 100
        fork.record(one)
        two.wait_event(fork)
        with two:
            c = 3 * b + 1
            join.record(two)
        assert one.is_capturing()
        assert two.is_capturing()
        one.wait_event(join)
        d = c - b
        graph = one.end_capture()
    assert not one.is_capturing()
    assert not two.is_capturing()
    assert not fork.done
    for factor in (1.0, 2.0):
        a[...] = cp.arange(100.0) * factor
        graph.launch()
        assert np.array_equal(c.get(), 300 * a.get() + 1)
        assert np.array_equal(d.get(), 200 * a.get() + 1)


def test_arrays_are_ordered_between_streams_of_a_capture_without_events_of_the_program() -> None:
    one, two = stream(), stream()
    event = cp.cuda.Event()
    a = cp.ones(1 << 14)
    with one:
        one.begin_capture()
        event.record(one)
        two.wait_event(event)
        b = cp.cumsum(a)
        with two:
            c = cp.cumsum(b)
        d = c * 2
        event.record(two)
        one.wait_event(event)
        graph = one.end_capture()
    graph.launch(one)
    assert float(d[-1]) == 2 * float(np.cumsum(np.cumsum(np.ones(1 << 14)))[-1])


def test_host_functions_run_at_every_launch() -> None:
    s = stream()
    seen: list[int] = []
    with s:
        s.begin_capture()
        s.launch_host_func(seen.append, 1)
        graph = s.end_capture()
    for count in range(4):
        assert len(seen) == count
        graph.launch(s)
        s.synchronize()
    assert seen == [1] * 4


def test_graphs_are_captured_in_graphs() -> None:
    s = stream()
    a = cp.ones(50)

    def add() -> None:
        nonlocal a
        a += 1

    inner, _ = capture(add, s)

    def work(graph: Any = inner) -> None:
        graph.launch()
        graph.launch()
        add()

    outer, _ = capture(work, s)
    del inner, work
    outer.launch(s)
    outer.launch()
    assert np.array_equal(a.get(), np.full(50, 7.0))


def test_pinned_memory_is_read_and_written_at_launches() -> None:
    s = stream()
    source = cp.cuda.alloc_pinned_memory(80)
    host = np.frombuffer(source, np.float64, 10)
    out = np.frombuffer(cp.cuda.alloc_pinned_memory(80), np.float64, 10)
    host[...] = 1
    a = cp.zeros(10)
    with s:
        s.begin_capture()
        a.set(host)
        b = a + 1
        b.get(out=out, blocking=False)
        graph = s.end_capture()
    for value in (1.0, 2.0):
        host[...] = value
        graph.launch(s)
        s.synchronize()
        assert np.array_equal(out, np.full(10, value + 1))


def test_pinned_sources_live_as_long_as_the_graph() -> None:
    s = stream()
    a = cp.zeros(1000)

    class Owner:
        def __init__(self) -> None:
            self.memory = cp.cuda.alloc_pinned_memory(8000)
            host = np.frombuffer(self.memory, np.float64, 1000)
            host[...] = 3
            self.__array_interface__ = host.__array_interface__

    owner = Owner()
    gone = weakref.ref(owner)
    sources = [np.asarray(owner)]
    graph, _ = capture(lambda: a.set(sources.pop()), s)
    del owner
    gc.collect()
    assert gone() is not None
    graph.launch(s)
    assert np.array_equal(a.get(), np.full(1000, 3.0))
    del graph
    gc.collect()
    s.synchronize()
    cp.cuda.Device().synchronize()
    a.sum().get()
    assert soon(lambda: gone() is None)


def refused(call: Any, name: str) -> None:
    with pytest.raises(cp.cuda.runtime.CUDARuntimeError, match=name) as error:
        call()
    assert isinstance(error.value, cp.errors.CaptureError)
    assert error.value.status >= 401


@pytest.mark.parametrize(
    "call",
    [
        lambda a, s: float(a.sum()),
        lambda a, s: a.get(),
        lambda a, s: a[a > 3],
        lambda a, s: cp.nonzero(a),
        lambda a, s: cp.array(np.ones(10)),
        lambda a, s: a.set(np.ones(10)),
        lambda a, s: bool(a[0] > 1),
    ],
    ids=["item", "get", "mask", "nonzero", "array", "set", "bool"],
)
def test_reading_on_the_host_is_refused_and_the_capture_goes_on(call: Any) -> None:
    s = stream()
    a = cp.arange(10.0)
    with s:
        s.begin_capture()
        with pytest.raises(RuntimeError, match="is capturing"):
            call(a, s)
        b = a + 1
        graph = s.end_capture()
    graph.launch(s)
    assert np.array_equal(b.get(), np.arange(1.0, 11.0))
    assert float(a.sum()) == 45.0


def test_waiting_spoils_the_capture() -> None:
    s = stream()
    calls = {
        "synchronize": lambda: refused(s.synchronize, "cudaErrorStreamCaptureUnsupported"),
        "device": lambda: refused(
            cp.cuda.Device().synchronize, "cudaErrorStreamCaptureUnsupported"
        ),
        "done": lambda: s.done,
    }
    for name, call in calls.items():
        with s:
            s.begin_capture()
            assert not call(), name
            refused(s.end_capture, "cudaErrorStreamCaptureInvalidated")
        assert not s.is_capturing()
        s.synchronize()
        assert s.done


def test_captures_that_do_not_fit_are_refused() -> None:
    one, two = stream(), stream()
    event = cp.cuda.Event()
    a = cp.ones(10)
    refused(one.end_capture, "cudaErrorIllegalState")
    refused(cp.cuda.Stream.null.begin_capture, "cudaErrorStreamCaptureUnsupported")
    with pytest.raises(ValueError, match="mode"):
        one.begin_capture(7)
    with one:
        one.begin_capture()
        refused(one.begin_capture, "cudaErrorIllegalState")
        event.record(one)
        two.wait_event(event)
        with two:
            b = a + 1
        refused(one.end_capture, "cudaErrorStreamCaptureUnjoined")
        one.begin_capture()
        event.record(one)
        two.wait_event(event)
        refused(two.end_capture, "cudaErrorStreamCaptureUnmatched")
        refused(one.end_capture, "cudaErrorStreamCaptureInvalidated")
    outside = cp.cuda.Event()
    outside.record(two)
    one.begin_capture()
    refused(lambda: one.wait_event(outside), "cudaErrorStreamCaptureIsolation")
    refused(one.end_capture, "cudaErrorStreamCaptureInvalidated")
    refused(lambda: two.wait_event(event), "cudaErrorCapturedEvent")
    del b
    assert float((a + 1).sum()) == 20.0


def test_arrays_of_a_capture_have_no_value_before_the_launch() -> None:
    s = stream()
    a = cp.ones(10)
    with cp.cuda.Stream(), s:
        s.begin_capture()
        b = a * 2
    if not cp.config.eager:
        refused(lambda: b + 1, "cudaErrorStreamCaptureIsolation")
    graph = s.end_capture()
    graph.launch(s)
    assert np.array_equal((b + 1).get(), np.full(10, 3.0))


def test_the_null_stream_minds_captures_of_blocking_streams() -> None:
    free, blocking = stream(), cp.cuda.Stream(non_blocking=False)
    with free:
        free.begin_capture()
        assert not cp.cuda.Stream.null.is_capturing()
        free.end_capture()
    with blocking:
        blocking.begin_capture()
        refused(cp.cuda.Stream.null.is_capturing, "cudaErrorStreamCaptureImplicit")
        blocking.end_capture()
    assert not cp.cuda.Stream.null.is_capturing()


def test_other_threads_are_not_disturbed() -> None:
    s = stream()
    a = cp.arange(1000.0)
    begun, finished = threading.Event(), threading.Event()
    results: list[Any] = []

    def other() -> None:
        begun.wait(20)
        b = cp.arange(1000.0) * 2
        results.append(float(b.sum()))
        cp.cuda.Device().synchronize()
        cp.cuda.Stream.null.synchronize()
        results.append(float((a + 1).sum()))
        finished.set()

    thread = threading.Thread(target=other)
    thread.start()
    with s:
        s.begin_capture()
        b = a + 1
        begun.set()
        assert finished.wait(20)
        c = b * 2
        graph = s.end_capture()
    thread.join()
    graph.launch(s)
    assert results == [999000.0, 500500.0]
    assert np.array_equal(c.get(), (np.arange(1000.0) + 1) * 2)


def test_only_relaxed_captures_end_in_another_thread() -> None:
    runtime = cp.cuda.runtime
    for mode, works in (
        (runtime.streamCaptureModeRelaxed, True),
        (runtime.streamCaptureModeThreadLocal, False),
        (runtime.streamCaptureModeGlobal, False),
    ):
        s = stream()
        s.begin_capture(mode)
        outcome: list[Any] = []

        def end(s: Any = s, outcome: list[Any] = outcome) -> None:
            try:
                outcome.append(s.end_capture())
            except cp.errors.CaptureError as error:
                outcome.append(error.status)

        thread = threading.Thread(target=end)
        thread.start()
        thread.join()
        assert isinstance(outcome[0], cp.cuda.Graph) == works
        if not works:
            assert outcome == [908]
            s.end_capture()


def test_library_calls_are_captured() -> None:
    s = stream()
    a = cp.arange(64.0).reshape(8, 8)
    graph, (product, transform, order) = capture(
        lambda: (a @ a.T, cp.fft.fft(a), cp.sort(-a, axis=1)), s
    )
    for factor in (1.0, 3.0):
        a[...] = cp.arange(64.0).reshape(8, 8) * factor
        graph.launch()
        assert np.allclose(product.get(), a.get() @ a.get().T)
        assert np.allclose(transform.get(), np.fft.fft(a.get()))
        assert np.array_equal(order.get(), np.sort(-a.get(), axis=1))


def test_long_arrays_are_computed_at_every_launch() -> None:
    s = stream()
    a = cp.zeros(200_000)

    def work() -> tuple[Any, ...]:
        b = cp.sqrt(a * 2 + 1)
        matrix = b.reshape(400, 500)
        return b.sum(), b.max(), cp.cumsum(b), cp.sort(-b), b.argmin(), matrix.mean(axis=0), b @ b

    graph, results = capture(work, s)
    generator = np.random.default_rng(5)
    for _ in range(3):
        host = generator.random(200_000)
        a[...] = cp.array(host)
        for _ in range(3):
            graph.launch(s)
        b = np.sqrt(host * 2 + 1)
        matrix = b.reshape(400, 500)
        expected = (b.sum(), b.max(), b.cumsum(), np.sort(-b), b.argmin(), matrix.mean(0), b @ b)
        for each, value in zip(results, expected, strict=True):
            assert np.allclose(each.get(), value, rtol=1e-12)


def test_positions_of_launches_wrap() -> None:
    s = stream()
    a = cp.arange(10.0)
    index = cp.array([1, 2, 3])
    b = cp.zeros(10)
    _ = a[index].get()  # they are known to be in bounds by now

    def work() -> tuple[Any, ...]:
        b[index] = 5.0
        return a[index], cp.take(a, index)

    graph, results = capture(work, s)
    for positions in ([1, 2, 3], [0, -1, 12], [1000000, -1000001, 7]):
        index[...] = cp.array(positions)
        b[...] = 0
        graph.launch(s)
        wrapped = np.array(positions) % 10
        expected = np.zeros(10)
        expected[wrapped] = 5
        assert np.array_equal(b.get(), expected)
        for each in results:
            assert np.array_equal(each.get(), wrapped.astype(float))
    with s:
        s.begin_capture()
        with pytest.raises(IndexError, match="size 0"):
            cp.zeros(0)[index]
        s.end_capture()


def test_graphs_tell_what_they_are() -> None:
    s = stream()
    a = cp.arange(10.0)
    graph, out = capture(lambda: cp.sin(a), s)
    assert graph.debug_dot_str().startswith("digraph")
    assert graph.debug_dot_str() != graph.debug_dot_str(1)
    if not on_cuda():
        assert "sin" in graph.debug_dot_str()
        assert graph.graph == graph.graphExec == 0
    assert isinstance(graph, cp.cuda.graph.Graph)
    assert graph.device == a.device
    with pytest.raises(TypeError, match="begin_capture"):
        cp.cuda.Graph()
    graph.launch(s)
    assert np.allclose(out.get(), np.sin(np.arange(10.0)))


def test_streams_of_sets_are_not_captured() -> None:
    if cp.cuda.runtime.getDeviceCount() < 2:
        pytest.skip("one device")
    devices = cp.all_devices()
    s = cp.Stream(device=devices)
    refused(s.begin_capture, "cudaErrorStreamCaptureUnsupported")
    one = cp.Stream(device=cp.cuda.Device(0))
    with cp.cuda.Device(0):
        a = cp.ones(4)
        graph, _ = capture(lambda: a + 1, one)
    with pytest.raises(cp.errors.DeviceError, match="stream"):
        graph.launch(cp.Stream(device=cp.cuda.Device(1)))
