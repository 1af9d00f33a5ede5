"""Streams that are held back, and waiting for what happens soon."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

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
