"""Flow round a cylinder by a lattice of nine speeds, float64."""

from typing import Any

import numpy as np

STEPS, RELAXATION = 10, 0.6
SPEEDS = ((0, 0), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
WEIGHTS = (4 / 9, 1 / 9, 1 / 36, 1 / 9, 1 / 36, 1 / 9, 1 / 36, 1 / 9, 1 / 36)
OPPOSITE = (0, 5, 6, 7, 8, 1, 2, 3, 4)
SIZES = {"small": 20, "cpu": 100, "cuda": 400}  # cells high; four times as many wide
TOLERANCE = 1e-9
COMPILED = ""


def operands(rng: np.random.Generator, size: int) -> list[np.ndarray]:
    flow = np.ones((size, 4 * size, 9)) + 0.01 * rng.standard_normal((size, 4 * size, 9))
    flow[:, :, 3] += 2 * (1 + 0.2 * np.cos(2 * np.pi * np.arange(4 * size) / (4 * size) * 4))
    flow *= 100 / flow.sum(2, keepdims=True)
    y, x = np.mgrid[:size, : 4 * size]
    return [flow, (x - size) ** 2 + (y - size / 2) ** 2 < (size / 4) ** 2]


def run(xp: Any, start: Any, cylinder: Any) -> Any:
    flow = start.copy()
    for _ in range(STEPS):
        for i, (x, y) in enumerate(SPEEDS):
            flow[:, :, i] = xp.roll(flow[:, :, i], (x, y), (1, 0))
        bounced = flow[cylinder, :][:, xp.asarray(OPPOSITE)]
        mass = flow.sum(2)
        ux = sum(flow[:, :, i] * x for i, (x, _) in enumerate(SPEEDS)) / mass
        uy = sum(flow[:, :, i] * y for i, (_, y) in enumerate(SPEEDS)) / mass
        rest = xp.zeros_like(flow)
        for i, ((x, y), weight) in enumerate(zip(SPEEDS, WEIGHTS, strict=True)):
            along = x * ux + y * uy
            rest[:, :, i] = (
                mass * weight * (1 + 3 * along + 9 * along**2 / 2 - 3 * (ux**2 + uy**2) / 2)
            )
        flow += -(1 / RELAXATION) * (flow - rest)
        flow[cylinder, :] = bounced
    return flow
