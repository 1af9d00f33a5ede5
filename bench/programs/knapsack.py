"""The most valuable load, by dynamic programming over weights, int64."""

from typing import Any

import numpy as np

ITEMS = 60
SIZES = {"small": 200, "cpu": 50_000, "cuda": 1_000_000}  # capacity
TOLERANCE = 0.0
COMPILED = ""


def operands(rng: np.random.Generator, size: int) -> list[np.ndarray]:
    return [rng.integers(1, size // 4, ITEMS), rng.integers(1, 1000, ITEMS), np.zeros(size, int)]


def run(xp: Any, weights: Any, values: Any, start: Any) -> Any:
    best = start.copy()
    for weight, value in zip(weights.tolist(), values.tolist(), strict=True):
        best[weight:] = xp.maximum(best[weight:], best[:-weight] + value)
    return best
