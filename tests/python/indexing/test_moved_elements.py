"""Copies, gathers, transposes and chains of large arrays beside NumPy, bit by bit.

Launches of this size run by vectors, over whole ranges and on several threads.
"""

from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy, to_numpy

COUNT = 70_001


def values(dtype: str, seed: int) -> np.ndarray:
    return (np.random.default_rng(seed).random(COUNT) * 100).astype(dtype)


def assert_equal(call: Any, *host: np.ndarray) -> None:
    expected = call(np, *(each.copy() for each in host))
    found = to_numpy(call(cp, *(from_numpy(each) for each in host)))
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


def in_place(xp: Any, a: Any, b: Any) -> Any:
    a += b
    a *= a
    a[::2] = b[::2]
    a[...] = a[::-1]
    return a


MOVES = {
    "copy": lambda xp, a, b, i, m: a.copy(),
    "reverse": lambda xp, a, b, i, m: a[::-1].copy(),
    "every other": lambda xp, a, b, i, m: a[1::2].copy(),
    "every third, reversed": lambda xp, a, b, i, m: a[::-3].copy(),
    "transpose": lambda xp, a, b, i, m: a[:70_000].reshape(70, 1000).T.copy(),
    "transposed planes": lambda xp, a, b, i, m: (
        a[:69_888].reshape(4, 96, 182).transpose(2, 0, 1).copy()
    ),
    "take": lambda xp, a, b, i, m: xp.take(a, i),
    "take by narrow indices": lambda xp, a, b, i, m: a[(i % 100).astype("i2") - 50],
    "mask": lambda xp, a, b, i, m: a[m],
    "nonzero": lambda xp, a, b, i, m: xp.nonzero(a)[0],
    "where": lambda xp, a, b, i, m: xp.where(m, a, b),
    "repeat": lambda xp, a, b, i, m: xp.repeat(a, 3),
    "concatenate": lambda xp, a, b, i, m: xp.concatenate([a, b]),
    "roll": lambda xp, a, b, i, m: xp.roll(a, 3),
    "full": lambda xp, a, b, i, m: xp.full(a.shape, 3, dtype=a.dtype),
}


@pytest.mark.parametrize("dtype", list("?bhilBHILefdFD"))
@pytest.mark.parametrize("move", MOVES)
def test_moved_elements(move: str, dtype: str) -> None:
    random = np.random.default_rng(1)
    indices = random.integers(-COUNT, COUNT, COUNT)
    assert_equal(
        MOVES[move], values(dtype, 2), values(dtype, 3), indices, random.random(COUNT) < 0.3
    )


@pytest.mark.parametrize("dtype", list("bhilBHILfd"))
def test_chains(dtype: str) -> None:
    a, b = values(dtype, 4), values(dtype, 5)
    assert_equal(lambda xp, a, b: (a + b) * (a - b) + a * 3, a, b)
    assert_equal(lambda xp, a, b: xp.where(a > b, a + 1, 2), a, b)
    assert_equal(in_place, a, b)
