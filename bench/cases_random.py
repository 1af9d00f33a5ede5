"""Random numbers: the bytes that are written. The bits are each library's own."""

from typing import Any

import numpy as np

from libraries import Library
from registry import Inputs, Task, case

FLOAT = 4  # bytes


def moments_fit(mean: float, deviation: float) -> Any:
    """Whether the moments of so many numbers are those of the distribution."""

    def compare(numbers: np.ndarray, _: Inputs) -> np.ndarray:
        wide = numbers.astype(np.float64)
        bound = 8 * deviation / np.sqrt(wide.size)
        return np.array([abs(wide.mean() - mean) < bound, abs(wide.std() - deviation) < bound])

    return compare


def random_row(name: str, mean: float, deviation: float) -> Any:
    return case(
        name,
        "random",
        "GB/s",
        1e-9,
        work=lambda inputs: FLOAT * inputs.n,
        compare=moments_fit(mean, deviation),
    )


@random_row("random uniform float32", 0.5, 12**-0.5)
def uniform(library: Library, inputs: Inputs) -> Task:
    return Task(library.uniform_numbers(inputs.n))


@random_row("random normal float32", 0.0, 1.0)
def normal(library: Library, inputs: Inputs) -> Task:
    return Task(library.normal_numbers(inputs.n))
