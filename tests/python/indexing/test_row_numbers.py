"""Whole rows that are picked and stored by their numbers."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp
from support.compare import assert_same

RNG = np.random.default_rng(15)
DTYPES = ("uint8", "float16", "float32", "int64", "complex128")
SHAPES = ((40, 7), (40, 8), (40, 33), (30, 5, 11), (25, 2, 3, 4), (9, 5000))
INDEXES: tuple[Callable[[int], Any], ...] = (
    lambda n: RNG.permutation(n),
    lambda n: RNG.integers(-n, n, 3 * n),
    lambda n: RNG.integers(0, n, (4, 6)),
    lambda n: (RNG.integers(0, n, 50), slice(3, None)),
    lambda n: (RNG.integers(0, n, 50), slice(1, None, 2)),
    lambda n: (RNG.integers(0, n, 50), slice(None, None, -1)),
    lambda n: (slice(None), RNG.integers(0, 2, 6)),
)


def values(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    return (RNG.standard_normal(shape) * 50).astype(dtype)


def placed(index: Any) -> Any:
    if isinstance(index, tuple):
        return tuple(placed(each) for each in index)
    return cp.asarray(index) if isinstance(index, np.ndarray) else index


@pytest.mark.filterwarnings("ignore:invalid value encountered in cast")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("number", range(len(INDEXES)))
def test_rows_are_picked_and_stored(shape: tuple[int, ...], dtype: str, number: int) -> None:
    host = values(shape, dtype)
    index = INDEXES[number](shape[0])
    found = host[index]
    a = cp.asarray(host)
    assert_same(a[placed(index)], found)
    assert_same((a + a)[placed(index)], (host + host)[index])
    turned = host.swapaxes(0, 1).copy().swapaxes(0, 1)
    assert_same(cp.asarray(turned)[placed(index)], turned[index])
    stored = values(found.shape, dtype)
    for given in (stored, stored[..., :1], stored[..., ::-1]):
        b, expected = cp.asarray(host), host.copy()
        b[placed(index)] = cp.asarray(given)
        expected[index] = given
        assert_same(b, expected)


def test_of_equal_rows_the_last_one_stays() -> None:
    rows = np.repeat(np.arange(5), 4)
    stored = np.arange(20 * 16.0).reshape(20, 16)
    a = cp.zeros((5, 16))
    a[cp.asarray(rows)] = cp.asarray(stored)
    assert_same(a, stored[3::4])


def test_rows_beyond_the_last_one_are_refused() -> None:
    a = cp.zeros((5, 16))
    with pytest.raises(IndexError, match="index 5 is out of bounds for axis 0 with size 5"):
        a[cp.asarray([0, 5])]
