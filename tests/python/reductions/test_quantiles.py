"""Quantiles with weights, and of what is not NaN, against NumPy."""

from typing import Any

import numpy as np
import pytest
from support.compare import Tolerance, agree
from support.dtypes import name
from support.orders import QUANTILE_METHODS, REAL_DTYPES, finite

SHAPES: list[tuple[int, ...]] = [(5, 7, 3), (12,), (), (0,), (3, 0), (1, 4)]
AXES: list[Any] = [None, 0, -1, (0, 1), (1, 0), (0, 2), 5]


def with_nan(dtype: Any, shape: tuple[int, ...]) -> np.ndarray:
    a = finite(np.dtype(dtype), int(np.prod(shape)))
    if a.dtype.kind == "f" and a.size > 5:
        a[[0, 2, 5]] = np.nan
    a = a.reshape(shape)
    if a.dtype.kind == "f" and a.ndim > 1:
        a[..., -1:] = np.nan
    return a


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", [*REAL_DTYPES, np.dtype(np.complex64)], ids=name)
def test_nanmedian(dtype: np.dtype, shape: tuple[int, ...]) -> None:
    for axis in AXES:
        for keepdims in (False, True):

            def run(xp: Any, x: Any, axis: Any = axis, keepdims: bool = keepdims) -> Any:
                return xp.nanmedian(x, axis, keepdims=keepdims)

            agree(run, with_nan(dtype, shape), tolerance=Tolerance(1))


@pytest.mark.parametrize("method", QUANTILE_METHODS)
@pytest.mark.parametrize("dtype", [np.int32, np.float16, np.float32, np.float64])
def test_nanquantile(dtype: Any, method: str) -> None:
    for shape in SHAPES:
        for axis in AXES:

            def run(xp: Any, x: Any, axis: Any = axis) -> list[Any]:
                return [
                    xp.nanquantile(x, 0.3, axis, method=method),
                    xp.nanquantile(x, [0, 0.25, 0.9, 1], axis, method=method, keepdims=True),
                    xp.nanquantile(x, np.float32(0.4), axis, method=method),
                    xp.nanquantile(x, [0, 1], axis, method=method),
                    xp.nanpercentile(x, [5, 50.0], axis, method=method),
                ]

            agree(run, with_nan(dtype, shape), tolerance=Tolerance(4, 1e-4))


def test_outputs() -> None:
    def run(xp: Any, x: Any) -> list[Any]:
        outs = [xp.zeros(3), xp.zeros(3, np.float32), xp.zeros((2, 3))]
        xp.nanmedian(x, (0, 1), outs[0])
        xp.nanquantile(x, 0.5, (0, 1), outs[1], method="lower")
        xp.nanpercentile(x, [20, 30], (0, 1), outs[2])
        return outs

    agree(run, with_nan(np.float64, (5, 7, 3)), tolerance=Tolerance(4))


@pytest.mark.parametrize("function", ["quantile", "nanquantile", "percentile", "nanpercentile"])
@pytest.mark.parametrize("dtype", [np.bool_, np.int32, np.float32, np.float64])
def test_weights(dtype: Any, function: str) -> None:
    shares = [0.3, [0, 0.25, 0.9, 1], 1, np.float32(0.4)]
    if "percentile" in function:
        shares = [np.multiply(each, 100) for each in shares]
    for shape in SHAPES:
        weights = np.random.default_rng(3).integers(0, 4, shape).astype(np.float32)
        for axis in (None, 0, -1, (0, 1)):

            def run(xp: Any, x: Any, w: Any, axis: Any = axis) -> list[Any]:
                call = getattr(xp, function)
                return [
                    call(x, q, axis, weights=w, method="inverted_cdf", keepdims=keepdims)
                    for q in shares
                    for keepdims in (False, True)
                ]

            agree(run, with_nan(dtype, shape), np.asarray(weights))


def test_weights_along_axes() -> None:
    def run(xp: Any, x: Any, w: Any) -> list[Any]:
        found = [
            xp.quantile(x, [0.2, 0.7], axis, weights=weight, method="inverted_cdf")
            for axis, weight in ((0, w[:5, 0]), (1, w[0]), ((1, 0), w[:5].T), ((0, 1), w[:5]))
        ]
        out = xp.zeros((7, 3))
        xp.percentile(x, 40, 0, out, method="inverted_cdf", weights=w[:5, 0])
        return [*found, out]

    a = finite(np.dtype(np.float64), 105).reshape(5, 7, 3)
    agree(run, a, np.random.default_rng(0).integers(1, 5, (6, 7)).astype(np.float64))


ERRORS = [
    lambda xp, x: xp.quantile(x, 0.5, weights=x),
    lambda xp, x: xp.quantile(x, 0.5, weights=x - 1, method="inverted_cdf"),
    lambda xp, x: xp.quantile(x, 0.5, weights=x * 0, method="inverted_cdf"),
    lambda xp, x: xp.quantile(x, 0.5, weights=x * np.inf, method="inverted_cdf"),
    lambda xp, x: xp.quantile(x, 0.5, weights=x[0], method="inverted_cdf"),
    lambda xp, x: xp.quantile(x, 0.5, 0, weights=x[0], method="inverted_cdf"),
    lambda xp, x: xp.quantile(x, 0.5, 2, weights=x, method="inverted_cdf"),
    lambda xp, x: xp.quantile(x[:0], 0.5, weights=x[:0], method="inverted_cdf"),
    lambda xp, x: xp.nanquantile(x, 1.5),
    lambda xp, x: xp.nanpercentile(x, -1),
    lambda xp, x: xp.nanpercentile(x * 1j, 1),
    lambda xp, x: xp.nanquantile(x, 0.5, method="nosuch"),
    lambda xp, x: xp.nanquantile(x, 0.5, 2),
    lambda xp, x: xp.nanmedian(x, (0, 0)),
]


@pytest.mark.parametrize("number", range(len(ERRORS)))
def test_errors(number: int) -> None:
    agree(ERRORS[number], np.arange(6.0).reshape(2, 3))
