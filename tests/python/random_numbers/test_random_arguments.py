"""Outputs of `permuted`, bounds of `uniform` and counts of `choice`, as NumPy takes them."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy, to_numpy
from support.compare import agree

pytestmark = pytest.mark.cupola_only


def test_outputs_of_permuted() -> None:
    generator = cp.random.default_rng(11)
    wide = cp.zeros(3)
    assert generator.permuted(cp.arange(3, dtype="i1"), out=wide) is wide
    assert sorted(wide.tolist()) == [0.0, 1.0, 2.0]
    for out in (cp.zeros(3, "i4"), [0, 0, 0], 5):
        with pytest.raises(TypeError):
            generator.permuted(cp.arange(3.0), out=out)
    with pytest.raises(ValueError, match="same shape"):
        generator.permuted(cp.arange(3.0), out=cp.zeros(2))


def test_uniform_numbers_between_bounds_in_any_order() -> None:
    """NumPy's older interface takes them, its generators do not."""
    for draw in (cp.random.RandomState(3).uniform, cp.random.uniform):
        numbers = to_numpy(draw(5, 1, 1000))
        assert np.all((numbers > 1) & (numbers <= 5))
        assert abs(np.mean(numbers) - 3) < 0.2
        assert draw(cp.asarray([1.0, 0.0]), cp.asarray([0.0, 1.0])).shape == (2,)
    generator = cp.random.default_rng(3)
    for bounds in ((5, 1), (0.0, -0.0), (cp.asarray([0, 5]), 1)):
        with pytest.raises(ValueError, match="high - low < 0"):
            generator.uniform(*bounds)


def test_counts_of_choices_are_numbers_of_any_kind() -> None:
    """Also arrays without dimensions, as sums are."""
    generator = cp.random.default_rng(12)
    for count in (cp.asarray(3), np.array(3), np.int8(3)):  # a number, as a sum is
        assert sorted(generator.choice(count, 3, replace=False).tolist()) == [0, 1, 2]
    with pytest.raises(ValueError, match="a must be"):
        generator.choice(cp.asarray(3.0), 3)


@pytest.mark.parametrize(
    "parameters", list(itertools.product((0.0, 1.0, 3.0, float("nan")), repeat=3))
)
def test_triangular_without_a_number(parameters: tuple[float, ...]) -> None:
    if not any(math.isnan(each) for each in parameters):
        return

    def drawn(xp: Any) -> Any:
        generator = xp.random.default_rng(1)
        return [
            generator.triangular(*parameters),
            generator.triangular(*map(xp.asarray, parameters)),
        ]

    agree(drawn)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
@pytest.mark.parametrize("scale", [1.0, 1 + 1.2e-8, 1 + 1e-6, 1.0001, 1.001, 1.01, 1.1, 0.9])
def test_probabilities_sum_to_one_within_their_precision(dtype: str, scale: float) -> None:
    given: Any = np.array([4, 4, 2], dtype) / np.array(10, dtype) * np.array(scale, dtype)
    try:
        np.random.default_rng(1).choice(3, p=given)
    except ValueError:
        for p in (given, from_numpy(given), given.tolist()):
            with pytest.raises(ValueError, match="do not sum to 1"):
                cp.random.default_rng(1).choice(3, p=p)
        return
    for p in (given, from_numpy(given)):
        assert cp.random.default_rng(1).choice(3, size=20, p=p).max() < 3
        assert cp.random.RandomState(1).choice(3, size=20, p=p).max() < 3
