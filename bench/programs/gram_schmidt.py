"""Orthonormal columns by the modified procedure of Gram and Schmidt, float64."""

from typing import Any

import numpy as np

SIZES = {"small": 40, "cpu": 200, "cuda": 600}  # columns; half as many again rows
TOLERANCE = 1e-9
COMPILED = ""


def operands(rng: np.random.Generator, size: int) -> list[np.ndarray]:
    return [rng.standard_normal((size * 3 // 2, size))]


def run(xp: Any, matrix: Any) -> Any:
    a = matrix.copy()
    q = xp.zeros_like(a)
    r = xp.zeros((a.shape[1], a.shape[1]), a.dtype)
    for k in range(a.shape[1]):
        r[k, k] = xp.sqrt(a[:, k] @ a[:, k])
        q[:, k] = a[:, k] / r[k, k]
        r[k, k + 1 :] = q[:, k] @ a[:, k + 1 :]
        a[:, k + 1 :] -= q[:, k, None] * r[k, k + 1 :]
    return q @ r
