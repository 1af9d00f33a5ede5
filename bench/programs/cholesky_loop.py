"""The Cholesky factor column by column, float64, in place."""

from typing import Any

import numpy as np

SIZES = {"small": 60, "cpu": 300, "cuda": 1000}  # rows
TOLERANCE = 1e-9
COMPILED = ""


def operands(rng: np.random.Generator, size: int) -> list[np.ndarray]:
    a = rng.random((size, size))
    return [a @ a.T + size * np.eye(size)]


def run(xp: Any, matrix: Any) -> Any:
    a = matrix.copy()
    for k in range(a.shape[0]):
        a[k, k] = xp.sqrt(a[k, k] - a[k, :k] @ a[k, :k])
        a[k + 1 :, k] = (a[k + 1 :, k] - a[k + 1 :, :k] @ a[k, :k]) / a[k, k]
    return xp.tril(a)
