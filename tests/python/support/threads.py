"""Threads that start together."""

import threading
from collections.abc import Callable
from typing import Any

THREADS = 16


def in_threads(work: Callable[[int], Any], count: int = THREADS) -> list[Any]:
    """Runs work(i) in `count` threads that start together; raises the first error."""
    barrier = threading.Barrier(count)
    results: list[Any] = [None] * count
    errors: list[BaseException] = []

    def body(i: int) -> None:
        try:
            barrier.wait()
            results[i] = work(i)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=body, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not any(thread.is_alive() for thread in threads), "a thread hangs"
    if errors:
        raise errors[0]
    return results
