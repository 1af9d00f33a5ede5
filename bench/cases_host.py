"""What the host pays, in ns: a node, an evaluation of few elements, a launch."""

import time
from collections.abc import Callable
from typing import Any

from libraries import Library
from registry import Build, Inputs, Task, case

NODES = 1 << 20  # elements; more than what is computed at the call
SMALL = 1024  # elements
NODE_REPEATS, FLUSHES, LAUNCHES = 10_000, 500, 500

EMPTY_KERNEL = 'extern "C" __global__ void empty() {}'


def host_row(name: str, **options: Any) -> Callable[[Build], Build]:
    return case(name, "host", "ns", 1e9, compare=None, **options)


@host_row("node: a + b, not evaluated", peers=())
def node(library: Library, inputs: Inputs) -> Task:
    a, b = (inputs.part(library, name, min(NODES, inputs.n)) for name in "ab")

    def seconds() -> float:
        start = time.perf_counter()
        for _ in range(NODE_REPEATS):
            a + b
        return (time.perf_counter() - start) / NODE_REPEATS

    return Task(seconds=seconds)


@host_row("flush: a + b of 1,024 elements, evaluated", peers=())
def flush(library: Library, inputs: Inputs) -> Task:
    """The node is made outside of what is timed; such ones were evaluated before."""
    a, b = (inputs.part(library, name, SMALL) for name in "ab")
    evaluate = library.xp.eval

    def seconds() -> float:
        taken = 0.0
        for _ in range(FLUSHES):
            result = a + b
            start = time.perf_counter()
            evaluate(result)
            taken += time.perf_counter() - start
        library.wait()
        return taken / FLUSHES

    return Task(seconds=seconds)


def launches(library: Library, launch: Callable[[], Any]) -> Task:
    """The time of the calls; the device may be behind."""

    def seconds() -> float:
        library.wait()
        start = time.perf_counter()
        for _ in range(LAUNCHES):
            launch()
        taken = time.perf_counter() - start
        library.wait()
        return taken / LAUNCHES

    launch()
    return Task(seconds=seconds)


@host_row("launch: RawKernel, empty", peers=("cupy",), platforms=("cuda",))
def raw_launch(library: Library, _inputs: Inputs) -> Task:
    kernel = library.xp.RawKernel(EMPTY_KERNEL, "empty")
    return launches(library, lambda: kernel((1,), (32,), ()))


@host_row("launch: ElementwiseKernel of one element", peers=("cupy",))
def elementwise_launch(library: Library, inputs: Inputs) -> Task:
    kernel = library.xp.ElementwiseKernel("T x", "T y", "y = x", "copied")
    source, target = inputs.part(library, "a", 1), library.empty(1)
    return launches(library, lambda: kernel(source, target))
