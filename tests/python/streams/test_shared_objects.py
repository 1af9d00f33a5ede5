"""Threads that use one Python object while another one changes it.

The interpreter lock orders most of this. Without it the library has to: results may be those of
before or of after the change, and nothing else.
"""

import itertools
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp
from support.streams import SOON, held_back
from support.threads import in_threads

pytestmark = pytest.mark.cupola_only

READERS = 6
SECONDS = 0.4


def while_changed(change: Callable[[int], Any], read: Callable[[int], Any]) -> None:
    """Calls read(thread) in several threads for as long as another one calls change(step)."""
    end = time.monotonic() + SECONDS

    def work(i: int) -> None:
        for step in itertools.count():
            (change(step) if i == 0 else read(i))
            if time.monotonic() > end:
                break

    in_threads(work, READERS + 1)


def test_an_array_is_read_while_its_shape_changes() -> None:
    a = cp.arange(60.0)
    shapes = [(60,), (6, 10), (3, 4, 5), (5, 12)]

    def change(step: int) -> None:
        a.shape = shapes[step % len(shapes)]

    def read(_: int) -> None:
        assert a.shape in shapes
        assert a.ndim in (1, 2, 3)
        assert float(a.sum()) == 1770
        assert (a + 1).shape in shapes
        assert sorted(cp.asnumpy(a).ravel()) == list(range(60))
        assert a.ravel()[-1] == 59

    while_changed(change, read)


def test_an_array_is_read_while_its_size_changes() -> None:
    a = cp.arange(10.0)
    sizes = (10, 4096, 100_000)

    def change(step: int) -> None:
        a.resize(sizes[step % len(sizes)], refcheck=False)

    def read(_: int) -> None:
        assert a.size in sizes
        assert float(cp.sum(a)) == 45
        assert (a * 2).size in sizes

    while_changed(change, read)


def test_a_selection_is_counted_by_many_threads_and_gets_a_shape() -> None:
    values = cp.arange(1000.0)

    def work(selections: list[Any], i: int) -> None:
        for selected in selections:
            if i == 0:
                selected.shape = (5, -1)
            assert selected.size == 500
            assert float((selected + 0).sum()) == 499 * 250

    for _ in range(5):
        selections = [values[values < 500] for _ in range(20)]
        in_threads(lambda i, selections=selections: work(selections, i))  # type: ignore[misc]


def test_threads_share_an_iterator() -> None:
    for _ in range(20):
        iterator = iter(cp.arange(400))
        parts = in_threads(lambda _, iterator=iterator: [int(x) for x in iterator])  # type: ignore[misc]
        assert sorted(itertools.chain(*parts)) == list(range(400))


@pytest.mark.parametrize("depth", [1, 2])
def test_a_list_becomes_an_array_while_it_changes(depth: int) -> None:
    row: list[Any] = [float(i) for i in range(300)]
    numbers = row if depth == 1 else [row, row]

    def change(step: int) -> None:
        if step % 2:
            row[:] = [float(step + i) for i in range(300)]
        else:
            del row[150:]

    def read(_: int) -> None:
        try:
            made = cp.asarray(numbers)
        except (ValueError, RuntimeError):  # rows of two lengths, as NumPy finds them
            return
        assert made.size <= 600
        assert made.dtype == np.float64

    while_changed(change, read)


def test_arrays_are_looked_for_in_a_list_that_changes() -> None:
    row: list[Any] = [cp.asarray(float(i)) for i in range(100)]

    def change(step: int) -> None:
        row[:] = [cp.asarray(float(i)) for i in range(50 + step % 2 * 50)]

    def read(_: int) -> None:
        assert cp._cupola.holds_array(row)

    while_changed(change, read)


def test_first_use_of_what_python_is_asked_for() -> None:
    """Of functions of NumPy and of this package that are looked up once, in a new process."""
    from support.subprocesses import output_of

    text = """
import threading
import numpy as np, cupola as cp
barrier = threading.Barrier(16)
def work():
    a = cp.arange(1 << 20) + 1
    barrier.wait()
    assert cp.sum(a, axis=0, initial=1) == (1 << 19) * ((1 << 20) + 1) + 1
    assert cp.asnumpy(a)[-1] == 1 << 20
    assert cp.asarray([a[0], 2], order="F").shape == (2,)
    assert cp.add(a, 1, out=a)[0] == 2
threads = [threading.Thread(target=work) for _ in range(16)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print("end")
"""
    assert output_of(text) == "end"


def test_memory_goes_back_while_the_thread_that_made_it_waits() -> None:
    """It is dropped by another thread, at once."""
    stream = cp.Stream()
    host = np.arange(1000, dtype=np.float32)
    target = cp.empty(1000, np.float32)
    released = threading.Event()
    weakref.finalize(host, released.set)
    with held_back(stream) as gate:
        target.set(host, stream=stream, blocking=False, source="keepalive")
        del host
        assert not released.is_set()
        gate.set()
        assert released.wait(SOON)
    assert np.array_equal(cp.asnumpy(target), np.arange(1000, dtype=np.float32))
