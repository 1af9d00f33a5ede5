"""Factorisations of one matrix of order 4,096."""

import functools

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
