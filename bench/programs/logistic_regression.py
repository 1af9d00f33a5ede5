"""Weights of a logistic regression by gradient descent, float64."""

from typing import Any

import numpy as np

STEPS, RATE, FEATURES = 30, 0.1, 32
SIZES = {"small": 100, "cpu": 20_000, "cuda": 500_000}  # samples
TOLERANCE = 1e-9
COMPILED = ""


def operands(rng: np.random.Generator, size: int) -> list[np.ndarray]:
    samples = rng.standard_normal((size, FEATURES))
    labels = (samples @ rng.standard_normal(FEATURES) > 0).astype(np.float64)
    return [samples, labels]


def run(xp: Any, samples: Any, labels: Any) -> Any:
    weights = xp.zeros(FEATURES)
    bias = xp.zeros(())
    for _ in range(STEPS):
        guess = 1 / (1 + xp.exp(-(samples @ weights + bias)))
        error = guess - labels
        weights -= RATE * (samples.T @ error) / labels.shape[0]
        bias = bias - RATE * error.mean()
    return xp.append(weights, bias)
