"""Medians, quantiles and histograms, against NumPy."""

import math
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy, to_numpy
from support.compare import Tolerance, agree
from support.dtypes import INTEGERS, NUMPY_FLOATS, name
from test_sorting import values_of

REAL = [*INTEGERS, *NUMPY_FLOATS]
METHODS = [
    "inverted_cdf",
    "averaged_inverted_cdf",
    "closest_observation",
    "interpolated_inverted_cdf",
    "hazen",
    "weibull",
    "linear",
    "median_unbiased",
    "normal_unbiased",
    "lower",
    "higher",
    "midpoint",
    "nearest",
]


def finite(dtype: np.dtype, size: int) -> np.ndarray:
    random = np.random.default_rng(size)
    return (random.standard_normal(size) * 50).astype(dtype)


@pytest.mark.parametrize("size", [1, 2, 7, 300, 5000])
@pytest.mark.parametrize("dtype", REAL, ids=name)
def test_median(dtype: np.dtype, size: int) -> None:
    def run(xp: Any, x: Any) -> list[Any]:
        table = x.reshape(-1, 1) * xp.ones((1, 3), x.dtype)
        out = xp.empty(3, np.float64)
        return [
            xp.median(x),
            xp.median(table, 0),
            xp.median(table, (0, 1), keepdims=True),
            xp.median(table, axis=1, keepdims=True),
            xp.median(table, axis=0, out=out),
        ]

    agree(run, finite(dtype, size), tolerance=Tolerance(1))


def test_nan_stays() -> None:
    a = finite(np.dtype(np.float32), 60).reshape(6, 10)
    a[2, 3] = np.nan

    def run(xp: Any, x: Any) -> list[Any]:
        return [
            xp.median(x, 1),
            xp.median(x),
            xp.quantile(x, [0.25, 0.5], 1),
            xp.percentile(x, 50, 0, method="lower"),
        ]

    agree(run, a)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", [np.int32, np.float32, np.float64])
def test_quantile(dtype: Any, method: str) -> None:
    a = finite(np.dtype(dtype), 6 * 11 * 5).reshape(6, 11, 5)

    def run(xp: Any, x: Any) -> list[Any]:
        out = xp.empty_like(xp.quantile(x, [0.1, 0.2], 1, method=method))
        return [
            xp.quantile(x, 0.3, method=method),
            xp.quantile(x, [0, 0.25, 1 / 3, 0.5, 1], 1, method=method),
            xp.quantile(x, 0.7, (0, 2), keepdims=True, method=method),
            xp.quantile(x, [[0.1, 0.2], [0.3, 0.9]], 0, keepdims=True, method=method),
            xp.percentile(x, 40, 1, method=method),
            xp.percentile(x, [5, 95.5], method=method),
            xp.quantile(x, [0.1, 0.2], 1, out, method=method),
        ]

    agree(run, a)


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


ERRORS = [
    lambda xp, x: xp.median(x, 2),
    lambda xp, x: xp.median(x, (0, 0)),
    lambda xp, x: xp.quantile(x, 1.5),
    lambda xp, x: xp.percentile(x, [-1, 50]),
    lambda xp, x: xp.quantile(x * 1j, 0.5),
    lambda xp, x: xp.quantile(x, 0.5, method="none"),
    lambda xp, x: xp.histogram(x, 0),
    lambda xp, x: xp.histogram(x, 2.5),
    lambda xp, x: xp.histogram(x, [3, 2, 1]),
    lambda xp, x: xp.histogram(x, [[1, 2]]),
    lambda xp, x: xp.histogram(x, 3, (2, 1)),
    lambda xp, x: xp.histogram(x, 3, (0, np.inf)),
    lambda xp, x: xp.histogram(x * np.nan, 3),
    lambda xp, x: xp.histogram(x, weights=x[0]),
]


@pytest.mark.parametrize("number", range(len(ERRORS)))
def test_errors(number: int) -> None:
    agree(ERRORS[number], np.arange(6.0).reshape(2, 3))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("q", [0, 1, True, False, [0, 1], [False, True], [1, 0, 1]], ids=repr)
def test_whole_shares(q: Any, method: str) -> None:
    """Integers and bools lie where the same floats do."""
    values = np.array([3.0, 10.0, 1.0, 2.0, 7.0])
    agree(lambda xp, x: xp.quantile(x, q, method=method), values)


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
