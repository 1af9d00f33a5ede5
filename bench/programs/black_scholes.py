"""Prices of calls and puts by Black and Scholes, float64, with a polynomial for the error."""

from typing import Any

import numpy as np

RATE, SIGMA = 0.02, 0.3
SIZES = {"small": 100, "cpu": 100_000, "cuda": 4_000_000}  # options
TOLERANCE = 1e-10
COMPILED = "run"


def operands(rng: np.random.Generator, size: int) -> list[np.ndarray]:
    return [10 + 40 * rng.random(size), 10 + 40 * rng.random(size), 0.2 + 2 * rng.random(size)]


def distribution(xp: Any, x: Any) -> Any:
    k = 1 / (1 + 0.2316419 * xp.abs(x))
    powers = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978))))
    powers = powers + k**5 * 1.330274429
    tail = xp.exp(-x * x / 2) / (2 * xp.pi) ** 0.5 * powers
    return xp.where(x > 0, 1 - tail, tail)


def run(xp: Any, price: Any, strike: Any, years: Any) -> Any:
    root = xp.sqrt(years)
    d1 = (xp.log(price / strike) + (RATE + SIGMA**2 / 2) * years) / (SIGMA * root)
    d2 = d1 - SIGMA * root
    later = strike * xp.exp(-RATE * years)
    call = price * distribution(xp, d1) - later * distribution(xp, d2)
    return xp.stack((call, call - price + later))
