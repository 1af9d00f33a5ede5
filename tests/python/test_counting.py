"""How often integers occur, against NumPy."""

from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy, to_numpy
from support.compare import Tolerance, agree
from support.dtypes import INTEGERS, name


def numbers(dtype: Any, size: int, below: int) -> np.ndarray:
    return np.random.default_rng(size).integers(0, below, size).astype(dtype)


@pytest.mark.parametrize("size", [1, 2, 300, 20_000])
@pytest.mark.parametrize("dtype", INTEGERS, ids=name)
def test_bincount(dtype: np.dtype, size: int) -> None:
    def run(xp: Any, x: Any) -> list[Any]:
        return [
            xp.bincount(x),
            xp.bincount(x[::3], None, 5),
            xp.bincount(x, minlength=400),
            xp.bincount(x > 3),
        ]

    agree(run, numbers(dtype, size, 100))


@pytest.mark.parametrize("largest", [255, 256, 65_535, 65_536, 1_000_000])
def test_counts_at_the_limits_of_smaller_types(largest: int) -> None:
    a = np.append(numbers(np.int64, 1000, largest), [largest, largest, 0])
    agree(lambda xp, x: [xp.bincount(x), xp.bincount(x, minlength=largest + 3)], a)


@pytest.mark.parametrize("dtype", [np.bool_, np.int32, np.float32, np.float64])
def test_weights_count_as_float64(dtype: Any) -> None:
    weights = np.random.default_rng().integers(0, 50, 5000).astype(dtype)

    def run(xp: Any, x: Any, w: Any) -> list[Any]:
        return [
            xp.bincount(x, w),
            xp.bincount(x[1::2], weights=w[1::2], minlength=1000),
            xp.bincount(x, w / 3),
        ]

    agree(run, numbers(np.int32, 5000, 700), weights, tolerance=Tolerance(64))


def test_weights_of_numbers_that_do_not_occur_are_zero() -> None:
    found = cp.bincount(from_numpy(np.array([4, 1, 4])), from_numpy(np.array([0.5, np.inf, 2])))
    np.testing.assert_array_equal(to_numpy(found), [0, np.inf, 0, 0, 2.5])


def test_nothing_to_count() -> None:
    def run(xp: Any, x: Any) -> list[Any]:
        none = x[:0]
        return [
            xp.bincount(none),
            xp.bincount(none, minlength=3),
            xp.bincount(none, weights=x, minlength=2),
            xp.bincount([]),
        ]

    agree(run, np.arange(3))


def test_numpy_hands_over() -> None:
    found = np.bincount(from_numpy(np.array([2, 0, 2])))
    assert isinstance(found, cp.ndarray)
    assert to_numpy(found).tolist() == [1, 0, 2]


ERRORS = [
    lambda xp, x: xp.bincount(x - 1),
    lambda xp, x: xp.bincount(x, minlength=-1),
    lambda xp, x: xp.bincount(x, minlength=None),
    lambda xp, x: xp.bincount(x, minlength=2.5),
    lambda xp, x: xp.bincount(x.reshape(2, 3)),
    lambda xp, x: xp.bincount(x[0]),
    lambda xp, x: xp.bincount(x * 1.0),
    lambda xp, x: xp.bincount(x[:0] * 1.0),
    lambda xp, x: xp.bincount(x * 1j),
    lambda xp, x: xp.bincount(x, x[1:]),
    lambda xp, x: xp.bincount(x, x * 1j),
    lambda xp, x: xp.bincount(x, x.reshape(2, 3)),
    lambda xp, x: xp.bincount(x, x[0]),
]


@pytest.mark.parametrize("number", range(len(ERRORS)))
def test_errors(number: int) -> None:
    agree(ERRORS[number], np.arange(6))
