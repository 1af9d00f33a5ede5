"""Operations on 1,024 float32: what a call costs."""

from collections.abc import Callable
from typing import Any

from libraries import Library
from registry import Build, Inputs, Task, case

ELEMENTS = 1024
TOGETHER = 32


def small_row(name: str, scale: float = 1e6, **options: Any) -> Callable[[Build], Build]:
    return case(name, "small", "us", scale, **options)


@small_row("a + b, 1,024 elements")
def add(library: Library, inputs: Inputs) -> Task:
    a, b = (inputs.part(library, name, ELEMENTS) for name in "ab")
    return Task(lambda: a + b)


@small_row(f"a + b, {TOGETHER} times, asked for together (each)", scale=1e6 / TOGETHER)
def add_together(library: Library, inputs: Inputs) -> Task:
    pairs = [
        (inputs.part(library, "a", ELEMENTS + i), inputs.part(library, "b", ELEMENTS + i))
        for i in range(TOGETHER)
    ]

    def run() -> Any:
        results = [a + b for a, b in pairs]
        library.use_together(results)
        return results[-1]

    return Task(run)


@small_row("(a*b + c)*d - a, 1,024 elements")
def chain(library: Library, inputs: Inputs) -> Task:
    a, b, c, d = (inputs.part(library, name, ELEMENTS) for name in "abcd")
    return Task(lambda: (a * b + c) * d - a)


@small_row("a[10:500].sum()")
def slice_sum(library: Library, inputs: Inputs) -> Task:
    a = inputs.part(library, "a", ELEMENTS)
    return Task(lambda: a[10:500].sum())


@small_row("empty(1024)", compare=None)
def empty(library: Library, _inputs: Inputs) -> Task:
    make = library.maker()
    return Task(lambda: make(ELEMENTS))


@small_row("float(a.sum()), 1,024 elements")
def read_sum(library: Library, inputs: Inputs) -> Task:
    a = inputs.part(library, "a", ELEMENTS)
    return Task(lambda: float(a.sum()))


@small_row("asarray of 4 KiB")
def to_device(library: Library, inputs: Inputs) -> Task:
    host = inputs.host("a")[:ELEMENTS].copy()
    return Task(lambda: library.asarray(host))
