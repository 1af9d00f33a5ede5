"""Lloyd's k-means, float32: distances by a matrix product, means by a second one."""

from typing import Any

import numpy as np

CLUSTERS, DIMENSIONS, ROUNDS = 64, 16, 5
SIZES = {"small": 4096, "cpu": 1 << 15, "cuda": 1 << 20}  # points
TOLERANCE = 1e-4
COMPILED = "run"


def operands(rng: np.random.Generator, size: int) -> list[np.ndarray]:
    """Points in clusters far from one another, and a first guess of the means."""
    means = rng.random((CLUSTERS, DIMENSIONS), dtype=np.float32) * 10
    noise = rng.random((size, DIMENSIONS), dtype=np.float32) - np.float32(0.5)
    points = means[rng.integers(0, CLUSTERS, size)] + noise
    guess = means + rng.random(means.shape, dtype=np.float32) * np.float32(0.2)
    return [points, guess]


def run(xp: Any, points: Any, means: Any) -> Any:
    clusters = xp.arange(means.shape[0])
    for _ in range(ROUNDS):
        distances = (means * means).sum(1) - 2 * (points @ means.T)
        nearest = distances.argmin(1)
        members = (nearest[:, None] == clusters).astype(points.dtype)
        counts = xp.maximum(members.sum(0), 1)
        means = (members.T @ points) / counts[:, None]
    return means
