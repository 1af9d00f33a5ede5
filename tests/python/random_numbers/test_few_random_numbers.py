"""Few numbers, which the calling thread computes on CPU devices, are the first ones of many."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, to_numpy

MANY = 10_000
DRAWS: dict[str, Callable[[Any, int], Any]] = {
    "random": lambda rng, size: rng.random(size),
    "random float32": lambda rng, size: rng.random(size, dtype=np.float32),
    "standard_normal": lambda rng, size: rng.standard_normal(size),
    "standard_normal float32": lambda rng, size: rng.standard_normal(size, dtype=np.float32),
    "standard_exponential": lambda rng, size: rng.standard_exponential(size),
    "uniform": lambda rng, size: rng.uniform(-3, 4, size),
    "normal": lambda rng, size: rng.normal(2, 3, size),
    "integers": lambda rng, size: rng.integers(-5, 17, size),
    "integers int8": lambda rng, size: rng.integers(-5, 17, size, dtype=np.int8),
    "integers bool": lambda rng, size: rng.integers(0, 2, size, dtype=bool),
    "integers wide": lambda rng, size: rng.integers(-(2**62), 2**62, size),
    "choice": lambda rng, size: rng.choice(9, size),
    "gamma": lambda rng, size: rng.gamma(2.5, size=size),
    "vonmises": lambda rng, size: rng.vonmises(0, 1.5, size),
    "poisson": lambda rng, size: rng.poisson(3.5, size),
    "binomial": lambda rng, size: rng.binomial(20, 0.3, size),
    "hypergeometric": lambda rng, size: rng.hypergeometric(20, 30, 12, size),
    "zipf": lambda rng, size: rng.zipf(2.5, size),
    "logseries": lambda rng, size: rng.logseries(0.7, size),
}


@pytest.mark.parametrize("size", [1, 2, 5, 255, 256, 257, 1000])
@pytest.mark.parametrize("name", DRAWS)
def test_few_are_the_first_of_many(name: str, size: int) -> None:
    few = to_numpy(DRAWS[name](cp.random.default_rng(11), size))
    many = to_numpy(DRAWS[name](cp.random.default_rng(11), MANY))
    assert few.dtype == many.dtype
    np.testing.assert_array_equal(few, many[:size])


def test_of_several_dimensions_and_none() -> None:
    flat = to_numpy(cp.random.default_rng(3).random(60))
    shaped = to_numpy(cp.random.default_rng(3).random((3, 4, 5)))
    np.testing.assert_array_equal(shaped.ravel(), flat)
    assert float(cp.random.default_rng(3).random()) == flat[0]
    assert cp.random.default_rng(3).random((0, 4)).shape == (0, 4)


def test_an_output_takes_them() -> None:
    out = cp.full(10, -1.0)
    assert cp.random.default_rng(3).random(out=out) is out
    np.testing.assert_array_equal(to_numpy(out), to_numpy(cp.random.default_rng(3).random(10)))
