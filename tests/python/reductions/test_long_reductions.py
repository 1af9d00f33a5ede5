"""Reductions of rows that are longer than what the loops take at once, beside NumPy."""

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp
from support.compare import agree
from support.dtypes import NUMPY_DTYPES, name

ON_CUDA = os.environ.get("CUPOLA_PLATFORM") == "cuda"

# Around the elements of a block, of a tile, of a chunk, and more than rows that stay on chip have.
LENGTHS = [255, 1023, 1025, 4096, 8191, 8193, 16385, 65537, 140_001]
EXACT = ["min", "max", "ptp", "any", "all", "argmin", "argmax"]


def values(dtype: np.dtype, shape: tuple[int, ...], seed: int) -> np.ndarray:
    """Not in order, with many that are equal."""
    random = np.random.default_rng(seed)
    if dtype.kind == "b":
        return random.random(shape) < 0.5
    whole = random.integers(1, 120, shape)
    return (whole + 1j * whole[::-1] if dtype.kind == "c" else whole).astype(dtype)


def reduce_all(xp: Any, array: Any, axis: int | None) -> list[Any]:
    is_bool = array.dtype == bool
    return [
        getattr(xp, function)(array, axis=axis)
        for function in EXACT
        if not (is_bool and function == "ptp")
    ]


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=name)
def test_of_one_row(dtype: np.dtype, length: int) -> None:
    a = values(dtype, (length,), 1)
    agree(lambda xp, x: reduce_all(xp, x, None), a)
    a[length - 2] = 125  # at the end of the last block, and then at its first place
    agree(lambda xp, x: reduce_all(xp, x, None), a)
    a[length // 8192 * 8192 if length > 8192 else 0] = 0
    agree(lambda xp, x: reduce_all(xp, x, None), a)


@pytest.mark.parametrize("shape", [(3, 3000), (3000, 3), (70, 700), (700, 70), (2, 40_000)])
@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=name)
def test_of_many_rows(dtype: np.dtype, shape: tuple[int, ...]) -> None:
    a = values(dtype, shape, 2)
    for axis in (0, 1):
        agree(lambda xp, x, axis=axis: reduce_all(xp, x, axis), a)
        agree(lambda xp, x, axis=axis: reduce_all(xp, x.T, axis), a)
    sums: Callable[..., Any] = lambda xp, x: [xp.sum(x, axis=axis) for axis in (None, 0, 1)]  # noqa: E731
    if dtype.kind in "biu":
        agree(sums, a)


@pytest.mark.parametrize("place", [0, 1, 63, 64, 1000, 8191, 8192, 8200, 19_999])
@pytest.mark.parametrize("dtype", ["e", "f", "d", "F", "D"])
def test_nan_at_any_place(dtype: str, place: int) -> None:
    a = values(np.dtype(dtype), (20_000,), 3)
    a[place] = np.nan
    agree(lambda xp, x: reduce_all(xp, x, None), a)
    agree(lambda xp, x: [xp.fmax.reduce(x), xp.fmin.reduce(x)], a)
    a[12_345] = np.nan
    agree(lambda xp, x: [xp.argmin(x), xp.argmax(x)], a)
    agree(lambda xp, x: reduce_all(xp, x.reshape(20, 1000), 1), a)
    agree(lambda xp, x: reduce_all(xp, x.reshape(1000, 20), 0), a)


@pytest.mark.cupola_only
@pytest.mark.parametrize("function", ["maximum", "minimum", "fmax", "fmin"])
@pytest.mark.parametrize("dtype", ["f", "d"])
def test_signs_of_zeros_do_not_depend_on_the_layout(dtype: str, function: str) -> None:
    for seed in range(20):
        random = np.random.default_rng(seed)
        a = np.where(random.random(9000) < 0.5, 0.0, -0.0).astype(dtype)
        b = np.repeat(a, 2)
        reduce = getattr(cp, function).reduce
        lying, strided = reduce(cp.asarray(a)), reduce(cp.asarray(b)[::2])
        assert cp.asnumpy(lying).tobytes() == cp.asnumpy(strided).tobytes()


@pytest.mark.parametrize("dtype", ["b", "H", "i", "L", "e"])
def test_running_products(dtype: str) -> None:
    random = np.random.default_rng(4)
    a = random.integers(1, 4, 5001).astype(dtype)
    if dtype == "e":
        a = (a * 0.5).astype(dtype)
        if ON_CUDA:  # the order of rounding is another one there
            a = np.tile(np.array([0.5, 2, 1, 1], dtype), 100)
        a[len(a) * 3 // 5] = np.inf
        a[len(a) * 4 // 5] = np.nan
    for part in (a, a[:7], a[1:4]):
        agree(lambda xp, x: [xp.cumprod(x), xp.cumsum(x)], part)
    agree(lambda xp, x: xp.cumprod(x, out=x), a)
