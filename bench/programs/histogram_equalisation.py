"""Contrast of an image by its histogram, uint8."""

from typing import Any

import numpy as np

SIZES = {"small": 32, "cpu": 512, "cuda": 4096}  # pixels to a side
TOLERANCE = 0.0
COMPILED = ""


def operands(rng: np.random.Generator, size: int) -> list[np.ndarray]:
    image = rng.standard_normal((size, size)) * 20 + 100
    return [np.clip(image, 0, 255).astype(np.uint8)]


def run(xp: Any, image: Any) -> Any:
    counts = xp.bincount(image.ravel(), minlength=256)
    below = counts.cumsum()
    first = below[counts > 0][0]
    scale = xp.round((below - first) * 255.0 / (below[-1] - first))
    return scale.astype(xp.uint8)[image]
