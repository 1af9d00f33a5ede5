"""Copies between host and device beyond the plain ones of cases_large: pinned memory, small copies
without end, and how soon a finished copy lets its source go."""

import resource
import threading
import time
import weakref
from typing import Any

import numpy as np

from libraries import Library
from registry import Inputs, Task, case

FLOAT = 4  # bytes
COPIES = 1_000_000
SMALL = 64  # elements
RELEASES = 500
MOST_GROWTH = 64 << 10  # KiB of host memory, for COPIES copies


def link_row(name: str, **options: Any) -> Any:
    return case(
        name,
        "transfers",
        "GB/s",
        1e-9,
        work=lambda inputs: FLOAT * inputs.n,
        compare=None,
        platforms=("cuda",),
        peers=("cupy", "torch"),
        **options,
    )


@link_row("pinned memory to device")
def pinned_to_device(library: Library, inputs: Inputs) -> Task:
    source, target = library.pinned(inputs.host("a")), library.empty(inputs.n)
    return Task(lambda: library.upload_into(target, source))


@link_row("device to pinned memory")
def device_to_pinned(library: Library, inputs: Inputs) -> Task:
    source, target = inputs.on(library, "a"), library.pinned(inputs.host("b"))
    return Task(lambda: library.download_into(target, source))


@case(
    f"{COPIES:,} copies of {SMALL} elements, one behind the other",
    "transfers",
    "k/s",
    1e-3,
    work=lambda _: COPIES,
    compare=None,
    peers=("cupy", "torch"),
)
def small_copies(library: Library, inputs: Inputs) -> Task:
    """Host memory must not grow with their number."""
    host, target = inputs.host("a")[:SMALL].copy(), library.empty(SMALL)

    def seconds() -> float:
        library.copy_from_numpy(target, host)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        start = time.perf_counter()
        for _ in range(COPIES):
            library.copy_from_numpy(target, host)
        library.wait(target)
        taken = time.perf_counter() - start
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        assert grown < MOST_GROWTH, f"host memory grew by {grown} KiB"
        return taken

    return Task(seconds=seconds)


def release_delay(cupola: Any, stream: Any) -> float:
    """Seconds from the beginning of a short copy to the release of its source."""
    host = np.ones(1 << 16, np.float32)
    released, opened = threading.Event(), threading.Event()
    times: dict[str, float] = {}

    def let_go() -> None:
        times["released"] = time.perf_counter()
        released.set()

    def begin(_: Any) -> None:
        opened.wait()
        times["begun"] = time.perf_counter()

    weakref.finalize(host, let_go)
    stream.launch_host_func(begin, None)
    with stream:
        array = cupola.array(host, blocking=False, source="keepalive")
    del host
    opened.set()
    assert released.wait(10), "the source is kept for ever"
    del array
    return times["released"] - times["begun"]


@case(
    "a finished copy lets its source go, another stream stuck (p99)",
    "transfers",
    "us",
    1e6,
    compare=None,
    peers=(),
)
def release(library: Library, _inputs: Inputs) -> Task:
    cupola = library.xp

    def seconds() -> float:
        stuck, stream = cupola.Stream(non_blocking=True), cupola.Stream(non_blocking=True)
        gate = threading.Event()
        stuck.launch_host_func(lambda _: gate.wait(), None)
        with stuck:
            kept = cupola.array(np.ones(SMALL, np.float32), blocking=False, source="keepalive")
        try:
            delays = sorted(release_delay(cupola, stream) for _ in range(RELEASES))
        finally:
            gate.set()
            stuck.synchronize()
        del kept
        return max(delays[int(0.99 * RELEASES)], 0.0)

    return Task(seconds=seconds)
