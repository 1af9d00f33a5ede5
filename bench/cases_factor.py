"""Factorisations of one matrix of order 4,096, and of stacks of small ones."""

import functools
from typing import Any

import numpy as np

from libraries import Library
from registry import Inputs, Task, case

LARGEST = 4096

factor_row = functools.partial(case, area="factor", unit="TFLOP/s", scale=1e-12, tolerance=1e-4)


def order_of(inputs: Inputs) -> int:
    return min(inputs.side, LARGEST)


def matrix(inputs: Inputs) -> np.ndarray:
    """Its diagonal is larger than what stands beside it."""
    order = order_of(inputs)
    square = inputs.host("a")[: order * order].reshape(order, order)
    return square + np.eye(order, dtype=np.float32) * np.float32(order)


@factor_row("solve 4,096 float32", work=lambda inputs: 2 / 3 * float(order_of(inputs)) ** 3)
def solve(library: Library, inputs: Inputs) -> Task:
    a = library.asarray(matrix(inputs))
    b = inputs.part(library, "b", order_of(inputs)).reshape(-1, 1)
    return Task(lambda: library.xp.linalg.solve(a, b))


@factor_row("cholesky 4,096 float32", work=lambda inputs: float(order_of(inputs)) ** 3 / 3)
def cholesky(library: Library, inputs: Inputs) -> Task:
    square = matrix(inputs)
    a = library.asarray((square + square.T) / np.float32(2))
    return Task(lambda: library.xp.linalg.cholesky(a))


def stack(inputs: Inputs, count: int, order: int) -> np.ndarray:
    """float64, as programs have small matrices."""
    flat = inputs.host("a")[: count * order * order].astype(np.float64)
    return flat.reshape(-1, order, order) + order * np.eye(order)


def stack_row(name: str, count: int, order: int) -> Any:
    return case(
        f"{name} of {count:,} float64 {order} x {order}", "factor", "ms", 1e3, tolerance=1e-10
    )


def small_stack(inputs: Inputs, count: int, order: int) -> np.ndarray:
    return stack(inputs, min(count, inputs.n // order**2), order)


@stack_row("solve", 5000, 4)
def solve_small(library: Library, inputs: Inputs) -> Task:
    matrices = small_stack(inputs, 5000, 4)
    a, b = library.asarray(matrices), library.asarray(matrices[:, :, :1].copy())
    return Task(lambda: library.xp.linalg.solve(a, b))


def stack_rows(name: str, count: int, order: int) -> None:
    def build(library: Library, inputs: Inputs) -> Task:
        a = library.asarray(small_stack(inputs, count, order))
        function = getattr(library.xp.linalg, name)
        return Task(lambda: function(a))

    stack_row(name, count, order)(build)


stack_rows("inv", 5000, 4)
for extent in (32, 64, 128):
    stack_rows("inv", 128, extent)
    stack_rows("cholesky", 128, extent)
