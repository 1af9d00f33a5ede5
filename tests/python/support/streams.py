"""Streams that are held back, and waiting for what happens soon."""

import functools
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from cupola_under_test import cp

SOON = 20.0  # seconds; far more than anything here takes


@contextmanager
def held_back(stream: Any) -> Iterator[threading.Event]:
    """Later work on the stream waits until the event is set, at the latest at the end."""
    gate = threading.Event()
    stream.launch_host_func(lambda _: gate.wait(SOON), None)
    try:
        yield gate
    finally:
        gate.set()
        stream.synchronize()


def soon(condition: Callable[[], bool]) -> bool:
    """Whether the condition becomes true; gives other threads the time for it."""
    deadline = time.monotonic() + SOON
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0)
    return True


def returns_without_waiting(function: Callable[[], Any]) -> Any:
    """What the function returns; fails where it does not while the test goes on."""
    results: list[Any] = []
    thread = threading.Thread(target=lambda: results.append(function()), daemon=True)
    thread.start()
    thread.join(SOON / 2)
    if thread.is_alive():
        pytest.fail("the call waits for its stream")
    assert results, "the call failed"
    return results[0]


SECONDS = 60


@functools.cache
def load_kernels() -> None:
    """Those of the tests with gates: CUDA loads kernels only when no stream waits."""
    a, b = cp.zeros(10), cp.ones(10)
    for result in (a + b, a * 3, a + 1):  # each by itself
        cp.eval(result)
    a += b
    a += 1
    b[...] = a
    cp.cuda.Stream.null.synchronize()


class Gate:
    """Holds a stream back until it is opened."""

    def __init__(self, stream: Any) -> None:
        load_kernels()
        self._open = threading.Event()
        self.entered = threading.Event()
        self._stream = stream
        stream.launch_host_func(self._wait, None)

    def _wait(self, _: Any) -> None:
        self.entered.set()
        self._open.wait(SECONDS)

    def open(self) -> None:
        """Lets the stream go on, and waits for it."""
        self._open.set()
        self._stream.synchronize()
