"""Ranks of pages by powers of a dense matrix of links, float64."""

from typing import Any

import numpy as np

DAMPING, STEPS = 0.85, 20
SIZES = {"small": 50, "cpu": 500, "cuda": 4000}  # pages
TOLERANCE = 1e-12
COMPILED = ""


def operands(rng: np.random.Generator, size: int) -> list[np.ndarray]:
    return [(rng.random((size, size)) < 0.1).astype(np.float64)]


def run(xp: Any, links: Any) -> Any:
    count = links.shape[0]
    degrees = links.sum(0)
    moves = xp.where(degrees > 0, links / xp.maximum(degrees, 1), 1 / count)
    ranks = xp.full(count, 1 / count)
    for _ in range(STEPS):
        ranks = DAMPING * (moves @ ranks) + (1 - DAMPING) / count
        ranks /= ranks.sum()
    return ranks
