"""Convolution and correlation of sequences."""

from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy, to_numpy
from support.compare import Tolerance, agree
from support.dtypes import NUMPY_DTYPES, is_inexact, name

pytestmark = pytest.mark.usefixtures("few_elements")

MODES = ["valid", "same", "full"]
NEAR = {2: Tolerance(4, 0.05), 4: Tolerance(16, 1e-3), 8: Tolerance(16, 1e-10)}


def near(dtype: np.dtype) -> Tolerance:
    width = dtype.itemsize // (2 if dtype.kind == "c" else 1)
    return NEAR[width] if is_inexact(dtype) else Tolerance()


def sequence(size: int, dtype: Any = "f8") -> np.ndarray:
    rng = np.random.default_rng(size)
    low = 0 if np.dtype(dtype).kind in "bu" else -9
    values = rng.integers(low, 9, size)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.integers(low, 9, size)
    return values.astype(dtype)


def every_mode(xp: Any, a: Any, v: Any) -> list[Any]:
    found = [xp.convolve(a, v)]
    for mode in MODES:
        found += [xp.convolve(a, v, mode), xp.correlate(a, v, mode), xp.correlate(v, a, mode)]
    return found


@pytest.mark.parametrize("sizes", [(1, 1), (5, 2), (9, 9), (40, 4), (70, 30), (200, 150)])
@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=name)
def test_every_dtype(dtype: np.dtype, sizes: tuple[int, int]) -> None:
    first, second = (sequence(size, dtype) for size in sizes)
    agree(every_mode, first, second, tolerance=near(dtype))


@pytest.mark.parametrize("dtypes", ["i1 u2", "f4 i8", "f2 c8", "? f4", "? i1", "u8 i8"])
def test_two_dtypes(dtypes: str) -> None:
    of_first, of_second = dtypes.split()
    first, second = sequence(60, of_first), sequence(30, of_second)
    agree(every_mode, first, second, tolerance=Tolerance(16, 1e-3))
    agree(every_mode, first[:10], second[:3], tolerance=Tolerance(16, 1e-3))


@pytest.mark.parametrize("count", [3, 40, 1100])
def test_what_is_not_finite_stays_where_it_is(count: int) -> None:
    first, second = sequence(1500) + 0.5, sequence(count) + 0.5
    first[700] = np.inf
    agree(every_mode, first, second, tolerance=NEAR[8])
    second[0], first[3] = -np.inf, np.nan
    agree(every_mode, first, second, tolerance=NEAR[8])


@pytest.mark.parametrize("sizes", [(5000, 1024), (3000, 3000), (4321, 2100)])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16", "i8"])
def test_long_with_long(dtype: str, sizes: tuple[int, int]) -> None:
    first, second = (sequence(size, dtype) for size in sizes)
    agree(every_mode, first, second, tolerance=near(np.dtype(dtype)))


@pytest.mark.parametrize("falls", [False, True])
def test_no_sum_loses_precision(falls: bool) -> None:
    rng = np.random.default_rng(1)
    first, second = rng.random(3000), rng.random(2000)
    if falls:  # by so much that transforms would leave nothing of the smallest sums
        first *= np.logspace(0, -300, 3000)
    expected = np.convolve(first.astype(np.longdouble), second.astype(np.longdouble))
    result = to_numpy(cp.convolve(from_numpy(first), from_numpy(second)))
    assert np.max(np.abs(result / expected - 1)) < 1e-12


def test_views_numbers_and_what_waits() -> None:
    def run(xp: Any, x: Any) -> list[Any]:
        return [
            *every_mode(xp, x[::-2, 0] * 2, x[1]),
            xp.convolve(x[0], 3),
            xp.convolve(2, x[0]),
            xp.convolve([1, 2], x[0]),
            xp.correlate(x[0], [1, 2], 2),
        ]

    agree(run, sequence(60, "i4").reshape(12, 5))


@pytest.mark.parametrize("mode", ["other", "FULL", 3, -1, None, 1.5, b"full"])
def test_modes(mode: Any) -> None:
    agree(lambda xp, x: xp.convolve(x, x, mode), sequence(5))
    agree(lambda xp, x: xp.correlate(x, x, mode), sequence(5))


@pytest.mark.parametrize("function", ["convolve", "correlate"])
def test_errors(function: str) -> None:
    for left, right in (([], [1.0]), ([1.0], []), ([], []), ([[1.0]], [1.0]), ([1.0], [[1.0]])):
        agree(lambda xp, *a: getattr(xp, function)(*a), np.array(left), np.array(right))
    agree(lambda xp, x: getattr(xp, function)(x, 1), np.ones((2, 2)))
    agree(lambda xp: xp.correlate(1, 2))


def test_by_numpy() -> None:
    agree(lambda xp, x: [np.convolve(x, x), np.correlate(x, x)], sequence(5))


@pytest.mark.parametrize("dtype", [np.int32, np.uint64, np.float32, np.float64])
def test_products_are_rounded_before_they_are_added(dtype: Any) -> None:
    """Whether sums and products are one loop or two."""
    a, b = (np.random.default_rng(i).standard_normal(5000) * 1e6 for i in (1, 2))

    def run(xp: Any, x: Any, y: Any) -> list[Any]:
        w = x[7:8]
        both = y * w
        return [
            x + y * w,
            x + y * w + x[::-1] * w,
            both + both,
            y * w + x,
            x + both * both,
            xp.where(x > y, x + both, both),
            x[1:] + x[:-1] * w + y[1:] * 3,
        ]

    agree(run, a.astype(dtype), b.astype(dtype))
