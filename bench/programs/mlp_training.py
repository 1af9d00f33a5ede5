"""A network of two layers, trained by momentum, float32."""

from typing import Any

import numpy as np

STEPS, RATE, MOMENTUM = 10, 0.05, 0.9
INPUTS, HIDDEN, OUTPUTS = 64, 128, 10
SIZES = {"small": 32, "cpu": 1024, "cuda": 16384}  # samples
TOLERANCE = 1e-3
COMPILED = ""


def operands(rng: np.random.Generator, size: int) -> list[np.ndarray]:
    samples = rng.standard_normal((size, INPUTS)).astype(np.float32)
    classes = rng.integers(0, OUTPUTS, size)
    first = (rng.standard_normal((INPUTS, HIDDEN)) / 8).astype(np.float32)
    second = (rng.standard_normal((HIDDEN, OUTPUTS)) / 11).astype(np.float32)
    return [samples, classes, first, second]


def run(xp: Any, samples: Any, classes: Any, first: Any, second: Any) -> Any:
    wanted = (classes[:, None] == xp.arange(OUTPUTS)).astype(xp.float32)
    weights = [first.copy(), second.copy()]
    speeds = [xp.zeros_like(each) for each in weights]
    for _ in range(STEPS):
        hidden = xp.maximum(samples @ weights[0], 0)
        scores = hidden @ weights[1]
        powers = xp.exp(scores - scores.max(axis=1, keepdims=True))
        error = (powers / powers.sum(axis=1, keepdims=True) - wanted) / samples.shape[0]
        back = (error @ weights[1].T) * (hidden > 0)
        for weight, speed, slope in zip(
            weights, speeds, (samples.T @ back, hidden.T @ error), strict=True
        ):
            speed *= MOMENTUM
            speed -= RATE * slope
            weight += speed
    return weights[0] @ weights[1]
