"""Steps of a layer of long short-term memory (Hochreiter and Schmidhuber, 1997), float32."""

from typing import Any

import numpy as np

STEPS = 32
SIZES = {"small": (8, 32), "cpu": (32, 256), "cuda": (256, 1024)}  # batch, width
TOLERANCE = 1e-4
COMPILED = "run"


def operands(rng: np.random.Generator, size: tuple[int, int]) -> list[np.ndarray]:
    batch, width = size
    scale = np.float32(width**-0.5)
    return [
        rng.standard_normal((STEPS, batch, width), dtype=np.float32),
        rng.standard_normal((width, 4 * width), dtype=np.float32) * scale,
        rng.standard_normal((width, 4 * width), dtype=np.float32) * scale,
        rng.standard_normal(4 * width, dtype=np.float32),
    ]


def sigmoid(xp: Any, x: Any) -> Any:
    return 1 / (1 + xp.exp(-x))


def run(xp: Any, inputs: Any, of_input: Any, of_state: Any, bias: Any) -> Any:
    batch, width = inputs.shape[1:]
    hidden = cell = xp.zeros((batch, width), dtype=inputs.dtype)
    for step in range(inputs.shape[0]):
        gates = inputs[step] @ of_input + hidden @ of_state + bias
        keep, write, read = (sigmoid(xp, gates[:, i * width : (i + 1) * width]) for i in range(3))
        cell = keep * cell + write * xp.tanh(gates[:, 3 * width :])
        hidden = read * xp.tanh(cell)
    return hidden
