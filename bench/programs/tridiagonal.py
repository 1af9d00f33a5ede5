"""Many tridiagonal systems by Thomas' method, side by side, float64."""

from typing import Any

import numpy as np

ROWS = 64
SIZES = {"small": 50, "cpu": 5000, "cuda": 200_000}  # systems
TOLERANCE = 1e-12
COMPILED = ""


def operands(rng: np.random.Generator, size: int) -> list[np.ndarray]:
    below, above, right = rng.random((3, ROWS, size))
    return [below, 3 + rng.random((ROWS, size)), above, right]


def run(xp: Any, below: Any, middle: Any, above: Any, right: Any) -> Any:
    c, d = xp.empty_like(above), xp.empty_like(right)
    c[0], d[0] = above[0] / middle[0], right[0] / middle[0]
    for i in range(1, ROWS):
        scale = 1 / (middle[i] - below[i] * c[i - 1])
        c[i] = above[i] * scale
        d[i] = (right[i] - below[i] * d[i - 1]) * scale
    for i in range(ROWS - 2, -1, -1):
        d[i] -= c[i] * d[i + 1]
    return d
