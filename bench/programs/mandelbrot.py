"""Turns until points of the plane leave, complex128, by masks."""

from typing import Any

import numpy as np

TURNS = 30
SIZES = {"small": 20, "cpu": 300, "cuda": 1500}  # points to a side
TOLERANCE = 0.0
COMPILED = ""


def operands(rng: np.random.Generator, size: int) -> list[np.ndarray]:
    x = np.linspace(-2.25, 0.75, size) + rng.random() * 1e-3
    y = np.linspace(-1.25, 1.25, size)
    return [x, y]


def run(xp: Any, x: Any, y: Any) -> Any:
    c = x + y[:, None] * 1j
    turns = xp.zeros(c.shape, dtype=xp.int64)
    z = xp.zeros_like(c)
    for n in range(TURNS):
        inside = xp.less(z.real**2 + z.imag**2, 4.0)
        turns[inside] = n
        z[inside] = z[inside] ** 2 + c[inside]
    turns[turns == TURNS - 1] = 0
    return turns
