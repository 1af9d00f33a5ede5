"""An option on the mean of a price, by paths, float64."""

from typing import Any

import numpy as np

STEPS, RATE, SIGMA, STRIKE = 16, 0.03, 0.2, 100.0
SIZES = {"small": 100, "cpu": 20_000, "cuda": 1_000_000}  # paths
TOLERANCE = 1e-10
COMPILED = ""


def operands(rng: np.random.Generator, size: int) -> list[np.ndarray]:
    return [rng.standard_normal((STEPS, size))]


def run(xp: Any, steps: Any) -> Any:
    dt = 1 / STEPS
    price = xp.full(steps.shape[1], 100.0)
    total = xp.zeros_like(price)
    for step in steps:
        price *= xp.exp((RATE - SIGMA**2 / 2) * dt + SIGMA * dt**0.5 * step)
        total += price
    payoff = xp.maximum(total / STEPS - STRIKE, 0) * xp.exp(xp.asarray(-RATE))
    return xp.stack((payoff.mean(), payoff.std()))
