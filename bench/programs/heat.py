"""Heat in a plate by Jacobi steps over slices, float64, fixed borders."""

from typing import Any

import numpy as np

STEPS = 20
SIZES = {"small": 30, "cpu": 400, "cuda": 2048}  # points to a side
TOLERANCE = 1e-12
COMPILED = ""


def operands(rng: np.random.Generator, size: int) -> list[np.ndarray]:
    return [rng.random((size, size))]


def run(xp: Any, start: Any) -> Any:
    a, b = start.copy(), start.copy()
    for _ in range(STEPS):
        for old, new in ((a, b), (b, a)):
            new[1:-1, 1:-1] = 0.2 * (
                old[1:-1, 1:-1] + old[1:-1, :-2] + old[1:-1, 2:] + old[2:, 1:-1] + old[:-2, 1:-1]
            )
    return a
