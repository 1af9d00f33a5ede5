"""Values between sample points."""

from typing import Any

import numpy as np
import pytest
from support.compare import Tolerance, agree
from support.dtypes import NUMPY_DTYPES, name

pytestmark = pytest.mark.usefixtures("few_elements")

NEAR = Tolerance(4, 1e-13)


def line_of(size: int, dtype: Any = "f8") -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(size)
    points = np.cumsum(rng.integers(1, 4, size))
    values = rng.integers(0, 99, size)
    if np.dtype(dtype).kind == "c":
        values = values - 1j * values[::-1]
    return points, values.astype(dtype)


@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=name)
@pytest.mark.parametrize("size", [1, 2, 30])
def test_every_dtype_of_values(size: int, dtype: np.dtype) -> None:
    points, values = line_of(size, dtype)
    x = np.linspace(-3, points[-1] + 3, 50).reshape(5, 10)
    x[0, 0], x[1, 1] = np.nan, np.inf

    def run(xp: Any, x: Any, points: Any, values: Any) -> list[Any]:
        return [
            xp.interp(x, points, values),
            xp.interp(points, points, values),
            xp.interp(x, points, values, -1, 1.5),
            xp.interp(x[1:], points, values, left=-5, period=7.77),
            xp.interp(x[1:], points[::-1], values, period=-13.31),
            xp.interp(x[::-1, ::3].T, points, values),
            xp.interp(2.5, points, values),
        ]

    agree(run, x, points, values, tolerance=NEAR)


@pytest.mark.parametrize("dtype", [d for d in NUMPY_DTYPES if d.kind != "c"], ids=name)
def test_every_dtype_of_coordinates(dtype: np.dtype) -> None:
    x = np.arange(12).astype(dtype)
    agree(lambda xp, x: xp.interp(x, x, xp.cos(x.astype(float))), np.sort(x), tolerance=NEAR)


def test_infinities_and_equal_coordinates() -> None:
    points = np.array([0.0, 1.0, 1.0, 2.0, np.inf])
    x = np.array([-1, 0, 0.5, 1.0, 1.5, 2.0, 7.0, np.inf, -np.inf, np.nan])
    for values in ([0.0, np.inf, 1, 2, 3], [-np.inf, -np.inf, np.nan, 1, 1], [1, 2, 3, 4, np.inf]):
        agree(lambda xp, *a: xp.interp(*a), x, points, np.array(values))
    agree(lambda xp, x: xp.interp(x, [1, 2, 2], [5, -1, 2]), np.array([1.5, 2.0, 2.5]))


def test_complex_ends() -> None:
    points, values = line_of(5, "c16")
    x = np.array([-5.0, 100.0, np.nan])
    agree(lambda xp, *a: xp.interp(*a, left=1j, right=2 - 3j), x, points, values)


@pytest.mark.parametrize(
    ("x", "points", "values", "period"),
    [
        ([1.0], [], [], None),
        ([1.0], [1.0, 2.0], [1.0], None),
        ([1.0], [[1.0]], [1.0], None),
        ([1.0], [1.0], [[1.0]], None),
        ([1.0], [1.0], [1.0], 0),
        ([1.0], [1.0, 2.0], [1.0], 3),
        ([1j], [1.0], [1.0], None),
    ],
)
def test_errors(x: Any, points: Any, values: Any, period: Any) -> None:
    arrays = [np.array(each) for each in (x, points, values)]
    agree(lambda xp, *a: xp.interp(*a, period=period), *arrays)
    agree(lambda xp, x: xp.interp(x, [1, 2], [1, 2], left=[1, 2]), np.ones(2))


def test_empty_and_by_numpy() -> None:
    points, values = line_of(5)
    agree(lambda xp, *a: [np.interp(*a), xp.interp(a[0][:0], *a[1:])], points, points, values)


@pytest.mark.parametrize("count", [2, 10, 3000, 20_000, 30_000])
def test_sorted_coordinates(count: int) -> None:
    """Many, which are looked up together, and what keeps them from that."""
    random = np.random.default_rng(count)
    x = np.sort(np.append(random.standard_normal(20_000) * 2, [0.5, 0.5, 0.5]))
    points = np.sort(np.append(random.standard_normal(count - 1), 0.5))
    values = random.standard_normal(count)

    def run(xp: Any, x: Any, p: Any, f: Any) -> list[Any]:
        return [
            xp.interp(x, p, f),
            xp.interp(x, p, f, left=-7, right=3),
            xp.interp(x, p, f, right=np.nan),
            xp.interp(x, xp.round(p, 1), f),
            xp.interp(x, p, xp.where(f > 1, -0.0, f)),
            xp.interp(x, p, xp.where(f > 1, np.inf, f)),
            xp.interp(xp.append(x, np.inf), p, f),
            xp.interp(xp.append(x, np.nan), p, f),
            xp.interp(x[::-1], p, f),
            xp.interp(x.reshape(-1, 1), p, f * 1j),
        ]

    agree(run, x, points, values)


@pytest.mark.parametrize("spread", [1e-3, 1.0, 1e3])
def test_many_sorted_points(spread: float) -> None:
    """Points that lie apart from the coordinates, among them, or all between two of them."""
    rng = np.random.default_rng(1)
    x = np.sort(np.round(rng.standard_normal(40_000), 3))
    points = np.unique(rng.standard_normal(30_000) * spread)
    values = rng.standard_normal(points.size)
    agree(lambda xp, a, p, v: xp.interp(a, p, v), x, points, values, tolerance=Tolerance(64))


@pytest.mark.parametrize("shape", [(30_000,), (100, 300)])
@pytest.mark.parametrize("count", [2, 10, 3000])
def test_many_coordinates_in_any_order(count: int, shape: tuple[int, ...]) -> None:
    """Lines that are computed once, ends with signs and infinities, and what has no such lines."""
    random = np.random.default_rng(count)
    x = random.standard_normal(shape) * 2
    points = np.sort(np.append(random.standard_normal(count - 1), 0.5))
    values = random.standard_normal(count)
    x.flat[:6] = np.nan, np.inf, -np.inf, points[0], points[-1], points[count // 2]

    def run(xp: Any, x: Any, p: Any, f: Any) -> list[Any]:
        return [
            xp.interp(x, p, f),
            xp.copysign(1.0, xp.interp(x, p, f, left=-0.0, right=-0.0)),
            xp.interp(x, p, f, left=np.inf, right=np.nan),
            xp.interp(x, xp.round(p, 1), f),
            xp.interp(x, p, xp.where(f > 0, -0.0, f)),
            xp.interp(x, p, xp.where(f > 0, -np.inf, f)),
            xp.interp(x.T, p, f),
        ]

    agree(run, x, points, values)


TABLES = {
    "even": np.linspace(-3, 5, 20_000),
    "nearly even": np.linspace(-3, 5, 20_000) + np.random.default_rng(1).random(20_000) * 1e-4,
    "few even": np.arange(11.0) - 5,
    "random": np.sort(np.random.default_rng(2).random(20_000)),
    "dense at one end": np.geomspace(1e-9, 5, 20_000),
    "two": np.array([0.25, 0.5]),
    "far": np.linspace(-8e307, 8e307, 20_000),
    "whole": np.sort(np.random.default_rng(3).choice(10**6, 20_000, replace=False)) * 1.0,
}


@pytest.mark.parametrize("order", ["sorted", "any"])
@pytest.mark.parametrize("table", TABLES)
def test_tables_of_all_kinds(table: str, order: str) -> None:
    """Where points are even, or nearly so, a coordinate's place is guessed from its value."""
    points = TABLES[table]
    random = np.random.default_rng(7)
    x = random.uniform(points[0] - 1, points[-1] + 1, 40_000)
    x[:20_000] = random.choice(points, 20_000)
    x[:4] = np.nextafter(points[0], [-9, 9, points[0], points[0]])
    if order == "sorted":
        x.sort()
    else:
        x[[5, 77, 999]] = np.nan, np.inf, -np.inf
    values = np.sin(np.arange(points.size)) + 2
    for ends in ({}, {"left": -7.5}, {"right": 0.0, "left": -0.0}):
        agree(lambda xp, *a, e=ends: xp.interp(*a, **e), x, points, values)
