"""Steps of a gated recurrent unit, float32."""

from typing import Any

import numpy as np

STEPS, INPUTS, HIDDEN = 20, 32, 64
SIZES = {"small": 4, "cpu": 128, "cuda": 4096}  # sequences
TOLERANCE = 1e-4
COMPILED = ""


def operands(rng: np.random.Generator, size: int) -> list[np.ndarray]:
    def normal(*shape: int) -> np.ndarray:
        return (rng.standard_normal(shape) * 0.2).astype(np.float32)

    return [normal(STEPS, size, INPUTS), normal(INPUTS, 3 * HIDDEN), normal(HIDDEN, 3 * HIDDEN)]


def sigmoid(xp: Any, a: Any) -> Any:
    return 1 / (1 + xp.exp(-a))


def run(xp: Any, inputs: Any, of_inputs: Any, of_state: Any) -> Any:
    state = xp.zeros((inputs.shape[1], HIDDEN), inputs.dtype)
    for x in inputs:
        a, b = x @ of_inputs, state @ of_state
        reset = sigmoid(xp, a[:, :HIDDEN] + b[:, :HIDDEN])
        update = sigmoid(xp, a[:, HIDDEN : 2 * HIDDEN] + b[:, HIDDEN : 2 * HIDDEN])
        new = xp.tanh(a[:, 2 * HIDDEN :] + reset * b[:, 2 * HIDDEN :])
        state = (1 - update) * new + update * state
    return state
