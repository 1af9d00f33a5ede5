"""Arrays of 1 GiB (CPU: 64 MiB): useful bytes, each input read once, each output written once."""

import functools
import time
from typing import Any

import numpy as np

from libraries import COMPILED, PLAIN, Library
from registry import Inputs, Task, case

FLOAT = 4  # bytes


def large_row(name: str, passes: float, **options: Any) -> Any:
    """A row that reads and writes `passes` arrays in all."""
    options = {"area": "large", "work": lambda inputs: passes * FLOAT * inputs.n} | options
    return case(name, unit="GB/s", scale=1e-9, **options)


one_pass = functools.partial(large_row, passes=1)
WITH_COMPILERS = (*PLAIN, *COMPILED)


@large_row("copy", 2, compare=None, peers=("numpy", "cupy", "torch"))
def copy(library: Library, inputs: Inputs) -> Task:
    source, target = inputs.on(library, "a"), library.empty(inputs.n)
    return Task(lambda: library.copy_into(target, source))


@large_row("a + b", 3)
def add(library: Library, inputs: Inputs) -> Task:
    a, b = (inputs.on(library, name) for name in "ab")
    return Task(lambda: a + b)


@large_row("(a*b + c)*d - a", 5, peers=WITH_COMPILERS)
def chain(library: Library, inputs: Inputs) -> Task:
    operands = [inputs.on(library, name) for name in "abcd"]
    run = library.compiled(lambda a, b, c, d: (a * b + c) * d - a)
    return Task(lambda: run(*operands))


@large_row("((a - b)**2).mean()", 2, peers=WITH_COMPILERS)
def mean_square(library: Library, inputs: Inputs) -> Task:
    a, b = (inputs.on(library, name) for name in "ab")
    run = library.compiled(lambda a, b: ((a - b) ** 2).mean())
    return Task(lambda: run(a, b))


@one_pass("sum")
def sum_all(library: Library, inputs: Inputs) -> Task:
    a = inputs.square(library, "a")
    return Task(lambda: a.sum())


@one_pass("sum, axis 0")
def sum_columns(library: Library, inputs: Inputs) -> Task:
    a = inputs.square(library, "a")
    return Task(lambda: a.sum(0))


@one_pass("sum, axis 1")
def sum_rows(library: Library, inputs: Inputs) -> Task:
    a = inputs.square(library, "a")
    return Task(lambda: a.sum(1))


@one_pass("var, axis 1", peers=WITH_COMPILERS)
def variance(library: Library, inputs: Inputs) -> Task:
    a = inputs.square(library, "a")
    run = library.compiled(lambda a: library.variance(a, 1))
    return Task(lambda: run(a))


def value_at(position: Any, inputs: Inputs) -> Any:
    """Several elements may be the largest; which one a library names is its own affair."""
    return inputs.host("a")[int(position)]


@one_pass("argmax", compare=value_at)
def argmax(library: Library, inputs: Inputs) -> Task:
    a = inputs.on(library, "a")
    return Task(lambda: a.argmax())


@large_row("transpose copy", 2)
def transpose(library: Library, inputs: Inputs) -> Task:
    a = inputs.square(library, "a")
    return Task(lambda: library.transposed_copy(a))


@large_row("a + b.T", 3)
def mixed_orders(library: Library, inputs: Inputs) -> Task:
    a, b = (inputs.square(library, name) for name in "ab")
    return Task(lambda: a + b.T)


# Every sector of both rows is read for half of its elements.
@large_row("a[:, ::2] + b[:, 1::2], sectors", 2.5)
def strided_slices(library: Library, inputs: Inputs) -> Task:
    a, b = (inputs.square(library, name) for name in "ab")
    return Task(lambda: a[:, ::2] + b[:, 1::2])


@one_pass("row + column")
def row_and_column(library: Library, inputs: Inputs) -> Task:
    row, column = inputs.square(library, "a")[0], inputs.square(library, "b")[1]
    return Task(lambda: row[None, :] + column[:, None])


@large_row("option pricing, 18 operations", 4, tolerance=1e-5, peers=WITH_COMPILERS)
def option_pricing(library: Library, inputs: Inputs) -> Task:
    xp = library.xp
    operands = [inputs.on(library, name) for name in "abc"]

    def price(spot: Any, strike: Any, years: Any) -> Any:
        """By Black and Scholes, with the logistic curve for the normal one."""
        root = xp.sqrt(years + 0.1) * 0.3
        first = xp.log((spot + 1) / (strike + 1)) / root + root * 0.5
        bought = (spot + 1) / (xp.exp(first * -1.7) + 1)
        return bought - (strike + 1) / (xp.exp((first - root) * -1.7) + 1)

    run = library.compiled(price)
    return Task(lambda: run(*operands))


@large_row("softmax of rows of 4,096", 2, tolerance=1e-5, peers=WITH_COMPILERS)
def softmax(library: Library, inputs: Inputs) -> Task:
    a = inputs.on(library, "a").reshape(-1, 4096)

    def rows(a: Any) -> Any:
        exponents = library.xp.exp(a - library.largest(a, 1))
        return exponents / library.total(exponents, 1)

    run = library.compiled(rows)
    return Task(lambda: run(a))


@large_row("softmax, s[:, None]", 2, tolerance=1e-5, peers=("numpy", "cupy", "jax"))
def softmax_by_views(library: Library, inputs: Inputs) -> Task:
    a = inputs.on(library, "a").reshape(-1, 4096)

    def rows() -> Any:
        exponents = library.xp.exp(a - a.max(1)[:, None])
        return exponents / exponents.sum(1)[:, None]

    return Task(rows)


@large_row("(a - a.mean(0)) / a.std(0), 8,192 columns", 2, tolerance=1e-5, peers=WITH_COMPILERS)
def standardise(library: Library, inputs: Inputs) -> Task:
    a = inputs.on(library, "a").reshape(-1, 8192)
    run = library.compiled(lambda a: (a - a.mean(0)) / library.deviation(a, 0))
    return Task(lambda: run(a))


def random_index(library: Library, inputs: Inputs) -> Any:
    """A quarter as many numbers of elements as there are."""
    return library.asarray((inputs.host("d")[: inputs.n // 4] * inputs.n).astype(np.int64))


# Every index reads two sectors.
gather_row = functools.partial(
    large_row, passes=1, work=lambda inputs: (8 + 2 * 32 + 2 * FLOAT) * (inputs.n // 4)
)


@gather_row("a[idx]*w + b[idx], sectors")
def gathered(library: Library, inputs: Inputs) -> Task:
    a, b = (inputs.on(library, name) for name in "ab")
    index = random_index(library, inputs)
    w = inputs.on(library, "c")[: len(index)]
    return Task(lambda: a[index] * w + b[index])


GATHERS_ALONE = """
extern "C" __global__ void gathers(const float* a, const float* b, const long long* index,
                                   float* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = a[index[i]] + b[index[i]];
}
"""


# It counts as the work of the row above, so that their quotient is one of times.
@gather_row("its gathers alone, by a raw kernel", peers=(), platforms=("cuda",))
def gathers_alone(library: Library, inputs: Inputs) -> Task:
    a, b = (inputs.on(library, name) for name in "ab")
    index = random_index(library, inputs)
    if library.name == "numpy":
        return Task(lambda: a[index] + b[index])
    count = len(index)
    out = library.empty(count)
    kernel = library.xp.RawKernel(GATHERS_ALONE, "gathers")

    def gather() -> Any:
        kernel((-(-count // 256),), (256,), (a, b, index, out, np.int32(count)))
        return out

    return Task(gather)


@large_row("cumsum", 2, tolerance=1e-4)
def cumulative_sum(library: Library, inputs: Inputs) -> Task:
    a = inputs.on(library, "a")
    return Task(lambda: a.cumsum(0))


@large_row("a[a > 0.5]", 1.5)
def selection(library: Library, inputs: Inputs) -> Task:
    a = inputs.on(library, "a")
    return Task(lambda: a[a > 0.5])


@one_pass("asarray")
def to_device(library: Library, inputs: Inputs) -> Task:
    host = inputs.host("a")
    return Task(lambda: library.asarray(host))


DOWNLOADED = 4  # part of the operand that one download takes
HELD = 2  # downloads in a sample


def download_row(name: str) -> Any:
    return large_row(name, 1, work=lambda inputs: FLOAT * (inputs.n // DOWNLOADED))


@download_row("to NumPy, new memory")
def to_host(library: Library, inputs: Inputs) -> Task:
    """All results of the row are kept, so that each one gets pages that are new to the process."""
    a = inputs.on(library, "a")[: inputs.n // DOWNLOADED]
    results: list[np.ndarray] = []

    def seconds() -> float:
        library.wait(a)
        start = time.perf_counter()
        for _ in range(HELD):
            results.append(library.to_host(a))
        return (time.perf_counter() - start) / HELD

    return Task(seconds=seconds)


@download_row("to NumPy, memory of the result before")
def to_host_again(library: Library, inputs: Inputs) -> Task:
    a = inputs.on(library, "a")[: inputs.n // DOWNLOADED]

    def run() -> float:
        library.to_host(a)
        return 0.0

    return Task(run)
