"""Conjugate gradients (Hestenes and Stiefel, 1952) on a sparse matrix, float64.

The matrix is the Laplacian of a square grid with random conductances, as rows of five columns and
values each (ELL): a product gathers, multiplies and sums each row.
"""

from typing import Any

import numpy as np

ROUNDS = 30
SIZES = {"small": 32, "cpu": 256, "cuda": 1024}  # nodes to a side
TOLERANCE = 1e-9
COMPILED = "run"


def operands(rng: np.random.Generator, size: int) -> list[np.ndarray]:
    """Columns and values of the matrix's rows, and the right-hand side."""
    down, right = rng.random((size, size)) + 0.5, rng.random((size, size)) + 0.5
    around = [down, np.roll(down, 1, 0), right, np.roll(right, 1, 1)]
    own = 0.01 + sum(around)
    nodes = np.arange(size * size).reshape(size, size)
    shifts = ((-1, 0), (1, 0), (-1, 1), (1, 1))
    columns = [nodes, *(np.roll(nodes, shift, axis) for shift, axis in shifts)]
    values = [own, *(-each for each in around)]
    rows = (np.stack(each, axis=-1).reshape(size * size, 5) for each in (columns, values))
    return [*rows, rng.random(size * size)]


def run(xp: Any, columns: Any, values: Any, wanted: Any) -> Any:
    solution = xp.zeros_like(wanted)
    residual = direction = wanted
    norm = (residual * residual).sum()
    for _ in range(ROUNDS):
        image = (values * direction[columns]).sum(1)
        step = norm / (direction * image).sum()
        solution = solution + step * direction
        residual = residual - step * image
        before, norm = norm, (residual * residual).sum()
        direction = residual + norm / before * direction
    return solution
