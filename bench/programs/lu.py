"""LU factors without pivots by outer products, float64, in place."""

from typing import Any

import numpy as np

SIZES = {"small": 60, "cpu": 300, "cuda": 1000}  # rows
TOLERANCE = 1e-9
COMPILED = ""


def operands(rng: np.random.Generator, size: int) -> list[np.ndarray]:
    return [rng.random((size, size)) + size * np.eye(size)]


def run(xp: Any, matrix: Any) -> Any:
    a = matrix.copy()
    for k in range(a.shape[0] - 1):
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= a[k + 1 :, k, None] * a[k, k + 1 :]
    return a
