"""Spins on a torus that flip by Metropolis' rule, a colour of the board at a time, int8."""

from typing import Any

import numpy as np

STEPS, BETA = 10, 0.44
SIZES = {"small": 24, "cpu": 256, "cuda": 1024}  # spins to a side
TOLERANCE = 0.0
COMPILED = ""


def operands(rng: np.random.Generator, size: int) -> list[np.ndarray]:
    spins = rng.integers(0, 2, (size, size), dtype=np.int8) * 2 - 1
    return [spins.astype(np.int8), rng.random((STEPS, 2, size, size))]


def run(xp: Any, start: Any, chances: Any) -> Any:
    spins = start.copy()
    rows = xp.arange(spins.shape[0])
    colour = (rows[:, None] + rows) % 2 == 0
    for chance in chances:
        for turn, board in enumerate((colour, ~colour)):
            around = xp.roll(spins, 1, 0) + xp.roll(spins, -1, 0)
            around = around + xp.roll(spins, 1, 1) + xp.roll(spins, -1, 1)
            cost = 2.0 * spins * around
            flips = board & ((cost <= 0) | (chance[turn] < xp.exp(-BETA * cost)))
            spins = xp.where(flips, -spins, spins)
    return spins
