"""Medians and quantiles, against NumPy."""

from typing import Any

import numpy as np
import pytest
from support.compare import Tolerance, agree
from support.dtypes import INTEGERS, NUMPY_FLOATS, name

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


ERRORS = [
    lambda xp, x: xp.median(x, 2),
    lambda xp, x: xp.median(x, (0, 0)),
    lambda xp, x: xp.quantile(x, 1.5),
    lambda xp, x: xp.percentile(x, [-1, 50]),
    lambda xp, x: xp.quantile(x * 1j, 0.5),
    lambda xp, x: xp.quantile(x, 0.5, method="none"),
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


@pytest.mark.parametrize("out", ["?", "i4", "i8", "f4", "f8", "c8"])
@pytest.mark.parametrize("method", ["linear", "averaged_inverted_cdf", "hazen", "midpoint"])
def test_outputs_between_two_elements(method: str, out: str) -> None:
    """They must hold fractions."""
    for dtype in ("i4", "f4", "f8"):
        for share in (0.5, [0.25, 0.5]):
            agree(
                lambda xp, a, q=share: xp.quantile(
                    a, q, out=xp.zeros(np.shape(q), out), method=method
                ),
                np.array([1, 2, 4], dtype),
                tolerance=Tolerance(4, 1e-6),
                what=f"{method} of {dtype} in {out}",
            )
