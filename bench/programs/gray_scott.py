"""Reaction and diffusion of two substances by Gray and Scott, float32, periodic borders."""

from collections.abc import Callable
from typing import Any

import numpy as np

FEED, KILL, DIFFUSION_U, DIFFUSION_V = 0.037, 0.06, 0.16, 0.08
STEPS = 20
SIZES = {"small": 64, "cpu": 256, "cuda": 2048}  # cells to a side
TOLERANCE = 1e-5
COMPILED = "step"


def operands(rng: np.random.Generator, size: int) -> list[np.ndarray]:
    u = 1 - rng.random((size, size), dtype=np.float32) * np.float32(0.5)
    return [u, rng.random((size, size), dtype=np.float32) * np.float32(0.25)]


def laplacian(xp: Any, a: Any) -> Any:
    return xp.roll(a, 1, 0) + xp.roll(a, -1, 0) + xp.roll(a, 1, 1) + xp.roll(a, -1, 1) - 4 * a


def step(xp: Any, u: Any, v: Any) -> Any:
    reaction = u * v * v
    du = DIFFUSION_U * laplacian(xp, u) - reaction + FEED * (1 - u)
    dv = DIFFUSION_V * laplacian(xp, v) + reaction - (FEED + KILL) * v
    return u + du, v + dv


def run(xp: Any, u: Any, v: Any, step: Callable[..., Any] = step) -> Any:
    for _ in range(STEPS):
        u, v = step(xp, u, v)
    return v
