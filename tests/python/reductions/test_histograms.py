"""Histograms of one and several variables, against NumPy."""

import os
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy
from support.compare import Tolerance, agree
from support.orders import finite

from cupola import _cupola

RULES = ["auto", "doane", "fd", "rice", "scott", "sqrt", "stone", "sturges"]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.float32, np.float64])
def test_rules(dtype: Any, rule: str) -> None:
    def run(xp: Any, x: Any) -> list[Any]:
        return [
            *xp.histogram(x, rule),
            *xp.histogram(x.T, rule, density=True),
            xp.histogram_bin_edges(x, rule, (-10, 20)),
            xp.histogram_bin_edges(x, rule, (200, 201)),
            xp.histogram_bin_edges(x[:0], rule),
            xp.histogram_bin_edges(x[:1, :1], rule),
            xp.histogram_bin_edges(x[:1, :2], rule),
            xp.histogram_bin_edges(x * 0, rule),
        ]

    agree(run, finite(np.dtype(dtype), 900).reshape(30, 30), tolerance=Tolerance(64))


def test_edges() -> None:
    def run(xp: Any, x: Any) -> list[Any]:
        return [
            xp.histogram_bin_edges(x),
            xp.histogram_bin_edges(x, 3, (0, 7), weights=x),
            xp.histogram_bin_edges(x, [0, 1, 1, 5]),
            xp.histogram_bin_edges(x > 0, 4),
            xp.histogram_bin_edges([3, 4, 9], "sturges"),
        ]

    agree(run, finite(np.dtype(np.float64), 60))


@pytest.mark.parametrize("edges", [[0, 1, 1, 2], [0, 1, 1], [1, 1], [1, 1, 1], [-100, 3, 3.5, 1e3]])
@pytest.mark.parametrize("dtype", [np.int16, np.float32, np.float64, np.complex64])
def test_repeated_and_uneven_edges(dtype: Any, edges: Any) -> None:
    a = np.concatenate([finite(np.dtype(np.float64), 300) // 4, [0, 1, 2, 1, 1e3, -100]])
    weights = np.arange(a.size) % 7

    def run(xp: Any, x: Any, w: Any) -> list[Any]:
        return [xp.histogram(x, edges), xp.histogram(x, edges, weights=w)]

    agree(run, a.astype(dtype), weights)


@pytest.mark.parametrize("dtype", [np.int32, np.float32, np.complex64, np.complex128])
def test_sums_of_weights(dtype: Any) -> None:
    """Even bins, many elements and such as lie outside."""
    a = finite(np.dtype(np.float64), 20_000)
    a[::500] = np.nan
    weights = (np.arange(a.size) % 11).astype(dtype)

    def run(xp: Any, x: Any, w: Any) -> list[Any]:
        return [xp.histogram(x, bins, (-100, 80), weights=w)[0] for bins in (1, 7, 3000)]

    agree(run, a, weights)


BINS = [
    10,
    (3, 4),
    [[-1, 0, 1.5, 7], [0, 2]],
    [0, 1, 3, 9],
    [5, [0, 1, 1, 4]],
    np.array([3, 4]),
    [2.5, 3],
    [0, 3],
    [3],
    [[1, 2, 3]],
    [[3, 2, 1], 4],
    "auto",
    [[], 3],
    [[[1, 2]], 3],
]
KEYWORDS: list[dict[str, Any]] = [
    {},
    {"density": True},
    {"range": [[-50, 50], [0, 3]]},
    {"range": [None, (0, 40)]},
    {"range": [(0, 1)]},
    {"range": [(0, np.inf), None]},
]


@pytest.mark.parametrize("bins", BINS, ids=str)
@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.float32, np.float64])
def test_points(dtype: Any, bins: Any) -> None:
    a = finite(np.dtype(dtype), 1200).reshape(2, 600)
    for keywords in KEYWORDS:

        def run(xp: Any, x: Any, w: Any, keywords: Any = keywords) -> list[Any]:
            x, y = x
            hist, edges = xp.histogramdd(xp.stack([x, y], 1), bins, **keywords)
            return [
                *xp.histogram2d(x, y, bins, **keywords),
                *xp.histogram2d(x, y, bins, weights=w, **keywords),
                hist,
                *edges,
            ]

        agree(run, a, np.arange(600) % 5, tolerance=Tolerance(64))


def test_grids() -> None:
    def run(xp: Any, x: Any) -> list[Any]:
        table = x.reshape(100, 3)
        return [
            xp.histogramdd(x, 5)[0],
            xp.histogramdd(table[:, ::-1], (2, 3, 4))[0],
            xp.histogramdd((x, x, x, x), 2)[0],
            xp.histogramdd(table[:0, :2], 5),
            xp.histogramdd([[1, 2, 3], [3, 4, 5]], 5),
            xp.histogramdd([1, 2, 4], 2),
            xp.histogramdd(xp.where(table > 9, np.nan, table), 3, [(-50, 50)] * 3, True),
        ]

    agree(run, finite(np.dtype(np.float64), 300), tolerance=Tolerance(64))


ERRORS = [
    lambda xp, x: xp.histogram(x, "nosuch"),
    lambda xp, x: xp.histogram(x, "auto", weights=x),
    lambda xp, x: xp.histogram(x * np.nan, "auto"),
    lambda xp, x: xp.histogram(x, "fd", (2, 1)),
    lambda xp, x: xp.histogram_bin_edges(x, weights=x[0]),
    lambda xp, x: xp.histogram2d(x[0], x[0, 1:]),
    lambda xp, x: xp.histogram2d(x[0], x[0], weights=x[0, 1:]),
    lambda xp, x: xp.histogram2d(x[0], x[0], weights=x[0] * 1j),
    lambda xp, x: xp.histogramdd(x.reshape(3, 1, 2)),
    lambda xp, x: xp.histogramdd((x[0],) * 4, 100_000),
    lambda xp, x: xp.histogramdd([x[0], x[0, 1:]]),
]


@pytest.mark.parametrize("number", range(len(ERRORS)))
def test_errors(number: int) -> None:
    agree(ERRORS[number], np.arange(6.0).reshape(2, 3))


def passes(function: Any, array: Any) -> list[list[str]]:
    """The operations of each kernel that reads all elements of the array."""
    with cp.explain() as ran:
        _cupola.evaluate(function())
    kernels = [k for k in ran.kernels if any(each.shape == array.shape for each in k.inputs)]
    return [kernel.operations for kernel in kernels]


@pytest.mark.cupola_only
@pytest.mark.skipif("CUPOLA_EAGER" in os.environ, reason="each operation is a kernel of its own")
def test_passes_over_the_elements() -> None:
    """Counting takes one. Extremes that nobody gives are looked for in one before it."""
    x = from_numpy(np.linspace(-3, 3, 100_000))
    numbers = cp.astype(x * 10 + 40, np.int64)
    edges = from_numpy(np.asarray([-3, -1, 0, 0.5, 3]))
    large = numbers * 1000
    _cupola.evaluate(x, numbers, large)
    assert len(passes(lambda: cp.histogram(x, 20, (-2, 2))[0], x)) == 1
    assert len(passes(lambda: cp.histogram(x, edges)[0], x)) == 1
    found, counted = passes(lambda: cp.histogram(x, 20)[0], x)
    assert sorted(found) == ["max", "min"]
    assert counted[-1] == "bincount"
    for length in (0, 100):
        (counted,) = passes(lambda length=length: cp.bincount(numbers, minlength=length), numbers)
        assert counted[-1] == "bincount"  # on CUDA after a cast, in the same kernel
    assert len(passes(lambda: cp.bincount(large), large)) == 2


def test_numbers_that_are_rarely_large() -> None:
    host = np.zeros(40_000, np.int64)
    for value in (1, 1023, 1024, 5000, -1):
        host[12_345] = value
        agree(lambda xp, a: xp.bincount(a), host)
        agree(lambda xp, a: xp.bincount(a, minlength=2000), host)
        agree(lambda xp, a: xp.bincount(a % 256), host.astype(np.uint8))


@pytest.mark.cupola_only
@pytest.mark.skipif("CUPOLA_EAGER" in os.environ, reason="each operation is a kernel of its own")
def test_elements_are_read_once() -> None:
    """One pass that counts, one that clears what it counts in; extremes take one more."""
    x = from_numpy(np.linspace(-3, 3, 100_000))
    numbers = cp.astype(x * 10 + 40, np.int64)
    _cupola.evaluate(x, numbers)

    def launches(function: Any) -> int:
        with cp.profile():  # so that few elements are work of a stream, too
            before = _cupola.counters()["launches"]
            _cupola.evaluate(function())
            return _cupola.counters()["launches"] - before

    in_range = launches(lambda: cp.histogram(x, 20, (-2, 2))[0])
    assert in_range <= 3  # with the edges' copy to the device and the zeros
    in_all = launches(lambda: cp.histogram(x, 20)[0])
    assert in_all <= 3 + 1
    if x.device.platform == "cpu":
        assert in_all == in_range + 1
    assert launches(lambda: cp.histogram2d(x, x, 20, [(-2, 2)] * 2)[0]) <= in_range + 3
    assert launches(lambda: cp.bincount(numbers)) <= 3
