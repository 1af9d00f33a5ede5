"""Medians and quantiles, against NumPy."""

import warnings
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy, to_numpy
from support.compare import Tolerance, agree
from support.dtypes import name
from support.orders import QUANTILE_METHODS, REAL_DTYPES, finite


@pytest.mark.parametrize("size", [1, 2, 7, 300, 5000])
@pytest.mark.parametrize("dtype", REAL_DTYPES, ids=name)
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


@pytest.mark.parametrize("method", QUANTILE_METHODS)
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


@pytest.mark.parametrize("method", QUANTILE_METHODS)
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


def special(size: int) -> np.ndarray:
    """Many equal values, zeros of both signs and infinities."""
    random = np.random.default_rng(size)
    chosen = random.choice([0.0, -0.0, 1.5, np.inf, -np.inf, 2.0], size)
    return np.where(random.random(size) < 0.5, chosen, random.standard_normal(size))


# Rows that are sorted together, selected from by one thread and by all.
SHAPES = [(16, 64), (3, 700), (20, 1024), (2, 1025), (64, 9), (3, 5000), (1, 300_000), (2, 270_000)]


@pytest.mark.parametrize("has_nan", [False, True])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_rows_of_every_length(shape: tuple[int, int], has_nan: bool) -> None:
    a = special(shape[0] * shape[1]).reshape(shape)
    if has_nan:
        a[0, ::3] = np.nan
        a[-1, :] = np.nan

    def run(xp: Any, x: Any) -> list[Any]:
        results = []
        for array, axis in ((x, 1), (x.T, 0), (x[:, ::-1], 1), (x.T.copy(), 0)):
            results.append(xp.quantile(array, [0.0, 0.02, 0.5, 0.98], axis, method="lower"))
            results.append(xp.nanquantile(array, [0.02, 0.5], axis, method="higher"))
            results.append(xp.nanquantile(array, 0.4, axis, method="nearest"))
        return [abs(each) for each in results]  # NumPy leaves open which zero it is

    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        agree(run, a)


@pytest.mark.parametrize("kind", ["rising", "falling", "equal", "few", "periodic"])
def test_rows_in_special_orders(kind: str) -> None:
    size = 280_000
    rows = {
        "rising": np.arange(size),
        "falling": np.arange(size)[::-1],
        "equal": np.full(size, 7),
        "few": np.random.default_rng(1).integers(0, 3, size),
        "periodic": np.arange(size) % 64,
    }

    def run(xp: Any, x: Any) -> list[Any]:
        return [
            xp.median(x),
            xp.percentile(x, [0, 0.01, 5, 50, 95, 100]),
            xp.quantile(x, np.linspace(0, 1, 13)),
            xp.quantile(x, np.linspace(0, 1, 41)),
        ]

    for dtype in (np.float64, np.int32, np.uint8):
        agree(run, rows[kind].astype(dtype))


@pytest.mark.cupola_only
@pytest.mark.parametrize("shape", [(3, 4000), (300_000,)])
def test_zeros_are_those_of_a_stable_sort(shape: tuple[int, ...]) -> None:
    a = np.random.default_rng(2).choice([0.0, -0.0, 1.0], shape)
    ranks = np.arange(0, shape[-1] // 2, shape[-1] // 9)
    expected = np.sort(a, kind="stable")[..., ranks]
    for rank, element in zip(ranks, np.moveaxis(expected, -1, 0), strict=True):
        found = cp.quantile(from_numpy(a), rank / (shape[-1] - 1), -1, method="nearest")
        assert np.array_equal(np.signbit(to_numpy(found)), np.signbit(element))


@pytest.mark.parametrize("output", ["f8", "f4", "i1", "i2", "u1", "?", "c16", "u8", "i8", "f2"])
@pytest.mark.parametrize("dtype", ["i1", "?", "f4", "u8"])
def test_ranges_are_computed_in_the_dtype_of_their_output(dtype: str, output: str) -> None:
    a = np.array([[100, -100, 3], [-28, 127, 0]]).astype(dtype)
    for axis, shape in ((None, ()), (0, (3,)), (1, (2,))):
        agree(lambda xp, x, c=(axis, shape): xp.ptp(x, c[0], xp.zeros(c[1], output)), a)


@pytest.mark.parametrize("name", ["median", "nanmedian"])
def test_outputs_that_are_no_arrays(name: str) -> None:
    for out in (5, "x", [0.0]):
        agree(lambda xp, x, out=out: getattr(xp, name)(x, out=out), np.arange(3.0))
