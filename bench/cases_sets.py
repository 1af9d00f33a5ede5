"""Arrays over all devices beside one device: how many times faster the same program runs."""

import functools
from collections.abc import Callable
from typing import Any

import cases_large
import cases_matmul
import cases_small
from libraries import ONE_DEVICE, Library
from registry import Build, Inputs, Task, case

FLOAT = 4  # bytes
MOST = 1 << 30  # elements of what is sorted, or copied from or to the host

set_row = functools.partial(case, area="sets", peers=(ONE_DEVICE,))


def some(inputs: Inputs) -> int:
    return min(inputs.n, MOST)


def large_row(
    name: str,
    passes: float,
    build: Build,
    elements: Callable[[Inputs], int] = lambda inputs: inputs.n,
    **options: Any,
) -> None:
    """A row that reads and writes `passes` arrays in all."""
    row = set_row(
        f"{name}, all devices",
        unit="GB/s",
        scale=1e-9,
        work=lambda inputs: passes * FLOAT * elements(inputs),
        **options,
    )
    row(build)


def scaled_sum(library: Library, inputs: Inputs) -> Task:
    a, b = (inputs.on(library, name) for name in "ab")
    return Task(lambda: 2 * a + b)


def shifted_sum(library: Library, inputs: Inputs) -> Task:
    a, b = (inputs.on(library, name) for name in "ab")
    return Task(lambda: a[1:] + b[:-1])


def mean(library: Library, inputs: Inputs) -> Task:
    a = inputs.on(library, "a")
    return Task(lambda: a.mean())


def variance(library: Library, inputs: Inputs) -> Task:
    a = inputs.on(library, "a")
    return Task(lambda: a.var())


def rows_of_4096(library: Library, inputs: Inputs) -> Task:
    a = inputs.on(library, "a").reshape(-1, 4096)
    return Task(lambda: a.sum(1))


def sort(library: Library, inputs: Inputs) -> Task:
    a = inputs.part(library, "a", some(inputs))
    return Task(lambda: library.sorted(a))


def from_host(library: Library, inputs: Inputs) -> Task:
    host = inputs.host("a")[: some(inputs)]
    return Task(lambda: library.asarray(host))


def from_pinned(library: Library, inputs: Inputs) -> Task:
    a, b = (inputs.host(name)[: some(inputs)] for name in "ab")
    source, target = library.pinned(a), library.asarray(b)
    return Task(lambda: library.upload_into(target, source))


def to_pinned(library: Library, inputs: Inputs) -> Task:
    a, b = (inputs.host(name)[: some(inputs)] for name in "ab")
    source, target = library.asarray(a), library.pinned(b)
    return Task(lambda: library.download_into(target, source))


large_row("2*a + b", 3, scaled_sum)
large_row("option pricing", 4, cases_large.option_pricing)
large_row("sum", 1, cases_large.sum_all)
large_row("mean", 1, mean)
large_row("var", 1, variance)
large_row("a[1:] + b[:-1]", 3, shifted_sum)
large_row("sum, axis 0", 1, cases_large.sum_columns)
large_row("sum of rows of 4,096", 1, rows_of_4096)
large_row("argmax", 1, cases_large.argmax, compare=cases_large.value_at)
large_row("from NumPy", 1, from_host, some)
large_row("from pinned memory", 1, from_pinned, some, compare=None)
large_row("to pinned memory", 1, to_pinned, some, compare=None)

set_row("sort, all devices", unit="M/s", scale=1e-6, work=some)(sort)
set_row(
    "matmul float32, all devices",
    unit="TFLOP/s",
    scale=1e-12,
    work=cases_matmul.operations,
    tolerance=1e-5,
)(cases_matmul.product("float32"))

# What a set costs where there is nothing to divide.
set_row("a + b, 1,024 elements, on a set", unit="us", scale=1e6)(cases_small.add)
set_row("float(a.sum()), 1,024 elements, on a set", unit="us", scale=1e6)(cases_small.read_sum)
