"""Bodies that attract one another, softened, by leapfrog steps, float64."""

from typing import Any

import numpy as np

STEPS, DT, SOFTENING = 10, 0.01, 0.1
SIZES = {"small": 50, "cpu": 400, "cuda": 2000}  # bodies
TOLERANCE = 1e-9
COMPILED = ""


def operands(rng: np.random.Generator, size: int) -> list[np.ndarray]:
    masses = np.full((size, 1), 20.0 / size)
    return [masses, rng.standard_normal((size, 3)), rng.standard_normal((size, 3))]


def acceleration(xp: Any, masses: Any, places: Any) -> Any:
    x, y, z = places[:, 0:1], places[:, 1:2], places[:, 2:3]
    dx, dy, dz = x.T - x, y.T - y, z.T - z
    inverse = (dx**2 + dy**2 + dz**2 + SOFTENING**2) ** -1.5
    return xp.hstack(((dx * inverse) @ masses, (dy * inverse) @ masses, (dz * inverse) @ masses))


def run(xp: Any, masses: Any, start: Any, speeds: Any) -> Any:
    places = start.copy()
    speeds = speeds - (masses * speeds).mean(0) / masses.mean()
    pull = acceleration(xp, masses, places)
    for _ in range(STEPS):
        speeds += pull * DT / 2
        places += speeds * DT
        pull = acceleration(xp, masses, places)
        speeds += pull * DT / 2
    return xp.vstack((places, speeds))
