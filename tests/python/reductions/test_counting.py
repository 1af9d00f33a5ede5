"""How often values occur, against NumPy."""

import math
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy, to_numpy
from support.compare import Tolerance, agree
from support.dtypes import INTEGERS, name
from support.orders import finite, values_of


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


@pytest.mark.parametrize("below", [1, 3, 700, 5000, 100_000])
def test_counts_and_sums_of_many_parts(below: int) -> None:
    """Sums of several parts of the elements, and counts of more numbers than GPUs tally."""
    a = numbers(np.int64, 300_001, below)
    weights = np.arange(a.size) % 7 - 2.5  # whose sums are exact in any order

    def run(xp: Any, x: Any, w: Any) -> list[Any]:
        return [xp.bincount(x), xp.bincount(x, w), xp.bincount(x[::-3], w[::3], 200_000)]

    agree(run, a, weights)


@pytest.mark.cupola_only
def test_many_weights_of_one_number_lose_little() -> None:
    weights = np.full(1 << 20, 0.1)
    in_turn = np.bincount(np.zeros(1 << 20, int), weights)[0]
    found = float(to_numpy(cp.bincount(from_numpy(np.zeros(1 << 20, int)), from_numpy(weights)))[0])
    assert abs(found - math.fsum(weights)) < abs(in_turn - math.fsum(weights)) / 50


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64])
def test_one_negative_number_is_found(dtype: Any) -> None:
    a = numbers(dtype, 5000, 100)
    a[4321] = np.iinfo(dtype).min
    agree(lambda xp, x: xp.bincount(x), a)


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


@pytest.mark.parametrize("bins", [1, 10, [0.0, 1.5, 7.0, 7.0, 30.0], [-1e9, 0.0, 1e9]])
@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.float32, np.float64])
def test_histogram(dtype: Any, bins: Any) -> None:
    a = finite(np.dtype(dtype), 900).reshape(30, 30)

    def run(xp: Any, x: Any) -> list[Any]:
        weights = xp.floor(abs(x.astype(np.float64))) + 1  # whose sums are exact in any order
        return [
            *xp.histogram(x, bins),
            *xp.histogram(x, bins, density=True),
            *xp.histogram(x, bins, weights=weights),
            *xp.histogram(x, 7, (-20, 11.5)),
            *xp.histogram(x[:0], 3),
            *xp.histogram(x[:1, :1], 4),
        ]

    agree(run, a, tolerance=Tolerance(64))


@pytest.mark.cupola_only
def test_weights_of_small_bins_beside_large_ones() -> None:
    a = np.repeat([1.0, 0.5, 9.0], [10_000, 3, 2])
    weights = np.repeat([1e9 / 3, 0.1, 0.7], [10_000, 3, 2])
    sums, _ = cp.histogram(from_numpy(a), [0, 0.7, 0.8, 2, 8.5, 10], weights=from_numpy(weights))
    wanted = [math.fsum([0.1] * 3), 0, 1e13 / 3, 0, 1.4]
    np.testing.assert_allclose(to_numpy(sums), wanted, rtol=1e-14)


def test_histogram_leaves_nan_out() -> None:
    a = values_of(np.dtype(np.float32), 700)
    agree(lambda xp, x: xp.histogram(x, 5, (-3, 3)), a)
    agree(lambda xp, x: xp.histogram(x > 0, 2), a)


@pytest.mark.parametrize("dtype", ["f2", "f4", "i4", "c8"])
@pytest.mark.parametrize("density", [False, True])
def test_histogram_dtypes(dtype: str, density: bool) -> None:
    def run(xp: Any, x: Any, edges: Any) -> list[Any]:
        weights = xp.asarray([1, 2, 3]).astype(dtype)
        return [
            xp.histogram(x, bins=2, weights=weights, density=density)[0],
            xp.histogram(x, bins=edges, weights=weights, density=density),
            xp.histogram(x, bins=edges, density=density),
        ]

    agree(run, np.array([1.0, 2.0, 3.0]), np.array([1, 2, 3], "f4"), tolerance=Tolerance(1))


HISTOGRAM_ERRORS = [
    lambda xp, x: xp.histogram(x, 0),
    lambda xp, x: xp.histogram(x, 2.5),
    lambda xp, x: xp.histogram(x, [3, 2, 1]),
    lambda xp, x: xp.histogram(x, [[1, 2]]),
    lambda xp, x: xp.histogram(x, 3, (2, 1)),
    lambda xp, x: xp.histogram(x, 3, (0, np.inf)),
    lambda xp, x: xp.histogram(x * np.nan, 3),
    lambda xp, x: xp.histogram(x, weights=x[0]),
]


@pytest.mark.parametrize("number", range(len(HISTOGRAM_ERRORS)))
def test_errors_of_histograms(number: int) -> None:
    agree(HISTOGRAM_ERRORS[number], np.arange(6.0).reshape(2, 3))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int16, np.uint64])
@pytest.mark.parametrize("bins", [1, 3, 17, 256, 4096, 4097, 10_000])
def test_elements_at_and_beside_edges(dtype: Any, bins: int) -> None:
    """Each edge, its neighbours, and what lies outside, in many bins."""
    if dtype == np.float16 and bins > 256:
        pytest.skip("NumPy refuses bins of no width")
    first, last = (3, 60_000) if np.dtype(dtype).kind in "iu" else (-3.7, 11.1)
    last = 30_000 if dtype == np.int16 else last
    edges = np.histogram_bin_edges(np.array([first, last], dtype), bins).astype(dtype)
    if np.dtype(dtype).kind == "f":
        a = np.concatenate(
            [edges, np.nextafter(edges, dtype(-100)), np.nextafter(edges, dtype(100))]
        )
        a = np.append(a, np.array([np.nan, np.inf, -np.inf], dtype))
    else:
        a = np.concatenate([edges, edges - 1, edges + 1])
    limits = (dtype(first), dtype(last))
    counts, found = cp.histogram(from_numpy(a), bins, limits)
    wanted = np.histogram(a, found_edges := to_numpy(found))[0]
    np.testing.assert_array_equal(to_numpy(counts), wanted)
    np.testing.assert_array_equal(found_edges, np.histogram(a, bins, limits)[1])


@pytest.mark.parametrize("places", [1, 50, 4096, 4097, 100_000])
@pytest.mark.parametrize("dtype", [np.int32, np.uint32, np.int64, np.uint64, np.int16])
def test_sums_at_places(dtype: Any, places: int) -> None:
    """Many for each place, few for each place, and views."""
    where = numbers(np.int64, 30_000, places)
    values = (np.random.default_rng(3).integers(-(2**62), 2**62, 30_000)).astype(dtype)

    def run(xp: Any, x: Any, i: Any) -> list[Any]:
        whole, view, few = (xp.ones(2 * places, x.dtype) for _ in range(3))
        xp.add.at(whole, i, x)
        xp.add.at(whole, i, x.dtype.type(7))
        xp.add.at(view[::2], i - places, x)
        xp.add.at(few, i[:10], x[:10])
        return [whole, view, few]

    agree(run, values, where)


@pytest.mark.parametrize("size", [100_000, 1_000_000])
def test_long_rows_of_few_numbers(size: int) -> None:
    """As many blocks of threads as a device takes, and one number alone."""
    a = numbers(np.int32, size, 1000)
    agree(lambda xp, x: [xp.bincount(x), xp.bincount(x * 0 + 5), xp.bincount(x[::2])], a)
    b = np.random.default_rng(4).standard_normal(size).astype(np.float32)
    agree(lambda xp, x: [*xp.histogram(x, 256), *xp.histogram(x, 50, (-1, 1))], b)
