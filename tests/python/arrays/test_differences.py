"""Gradients, areas and phases without jumps."""

from typing import Any

import numpy as np
import pytest
from support.compare import Tolerance, agree
from support.dtypes import NUMPY_DTYPES, name

NEAR = Tolerance(8, 1e-13)
COARSE = {np.dtype("f2"): Tolerance(8, 0.05), np.dtype("f4"): Tolerance(8, 1e-5)}
COARSE[np.dtype("c8")] = Tolerance(8, 1e-5)


def numbers(shape: tuple[int, ...], dtype: Any = "f8") -> np.ndarray:
    values = np.random.default_rng(sum(shape)).integers(0, 40, shape) / 4
    return values.astype(dtype)


def near(dtype: np.dtype) -> Tolerance:
    return COARSE.get(np.dtype(dtype), NEAR)


@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=name)
@pytest.mark.parametrize("edge_order", [1, 2])
def test_gradient_of_every_dtype(dtype: np.dtype, edge_order: int) -> None:
    def run(xp: Any, x: Any) -> list[Any]:
        return [
            *xp.gradient(x, edge_order=edge_order),
            *xp.gradient(x, 0.5, edge_order=edge_order),
            xp.gradient(x[::-1, ::2].T, 3, axis=0, edge_order=edge_order),
        ]

    agree(run, numbers((6, 9), dtype), tolerance=near(dtype))


@pytest.mark.parametrize("edge_order", [1, 2])
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 2), (2, 0, 1)])
def test_gradient_along_axes(axis: Any, edge_order: int) -> None:
    options = {"axis": axis, "edge_order": edge_order}
    agree(lambda xp, x: xp.gradient(x, **options), numbers((4, 3, 5)), tolerance=NEAR)
    agree(lambda xp, x: xp.gradient(x, 2.0, **options), numbers((4, 3, 5)), tolerance=NEAR)


@pytest.mark.parametrize("edge_order", [1, 2])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "c16"])
def test_gradient_with_coordinates(dtype: str, edge_order: int) -> None:
    x = np.array([0, 1, 3, 4, 7, 9])

    def run(xp: Any, f: Any, x: Any, y: Any) -> list[Any]:
        return [
            *xp.gradient(f, x, y, edge_order=edge_order),
            *xp.gradient(f, x.astype(float) / 3, 2, edge_order=edge_order),
            xp.gradient(f, [1.0, 2, 3, 5], axis=1, edge_order=edge_order),
            xp.gradient(f, np.float64(0.1), axis=1, edge_order=edge_order),
        ]

    agree(run, numbers((6, 4), dtype), x, np.arange(4) * 2, tolerance=near(np.dtype(dtype)))


@pytest.mark.parametrize(
    ("shape", "given", "options"),
    [
        ((4, 4), (1, 2, 3), {}),
        ((4, 4), (1, 2), {"axis": 0}),
        ((4,), ([1, 2],), {}),
        ((4,), ([[1, 2, 3, 4]],), {}),
        ((4,), (), {"edge_order": 3}),
        ((2,), (), {"edge_order": 2}),
        ((2,), (), {"edge_order": -2}),
        ((1,), (), {}),
        ((0,), (), {}),
        ((), (), {}),
        ((4, 4), (), {"axis": 2}),
        ((4, 4), (), {"axis": (0, 0)}),
        ((1,), ([3],), {}),
    ],
)
def test_gradient_errors(
    shape: tuple[int, ...], given: tuple[Any, ...], options: dict[str, Any]
) -> None:
    agree(lambda xp, x: xp.gradient(x, *given, **options), numbers(shape))
    agree(lambda xp, x: xp.gradient(x, *given, **options), numbers(shape, "?"))


@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=name)
def test_trapezoid(dtype: np.dtype) -> None:
    def run(xp: Any, y: Any, x: Any) -> list[Any]:
        return [
            xp.trapezoid(y),
            xp.trapezoid(y, dx=0.25, axis=0),
            xp.trapezoid(y, x),
            xp.trapezoid(y, y * 2, axis=0),
            xp.trapezoid(y[::-1].T, x, axis=0),
            xp.trapezoid(y, [1, 2, 4, 8, 9]),
            xp.trapezoid(y[:, :1]),
            xp.trapezoid(y[:0]),
        ]

    agree(run, numbers((4, 5), dtype), np.arange(5.0) ** 2, tolerance=near(dtype))


def test_trapezoid_errors() -> None:
    agree(lambda xp, y: xp.trapezoid(y, [1, 2]), numbers((4,)))
    agree(lambda xp, y: xp.trapezoid(y, axis=1), numbers((4,)))
    agree(lambda xp, y: xp.trapezoid(y), numbers(()))


@pytest.mark.parametrize("dtype", [d for d in NUMPY_DTYPES if d.kind in "iuf"], ids=name)
def test_unwrap(dtype: np.dtype) -> None:
    low = 0 if dtype.kind == "u" else -60
    phases = np.random.default_rng(1).integers(low, 60, (8, 9)).astype(dtype)

    def run(xp: Any, p: Any) -> list[Any]:
        return [
            xp.unwrap(p),
            xp.unwrap(p, 5),
            xp.unwrap(p, axis=0, period=12),
            xp.unwrap(p, axis=-1, period=7),
            xp.unwrap(p[::-1].T * 1, 1.5, period=10.0),
            xp.unwrap(p[:, :1]),
            xp.unwrap(p, period=xp.asarray(7)),
        ]

    agree(run, phases, tolerance=Tolerance(8, {2: 2.0, 4: 1e-3}.get(dtype.itemsize, 1e-11)))


def test_unwrap_errors() -> None:
    agree(lambda xp, p: xp.unwrap(p), numbers(()))
    agree(lambda xp, p: xp.unwrap(p, axis=3), numbers((4,)))
    agree(lambda xp, p: xp.unwrap(p), np.ones(3, complex))
    agree(lambda xp, p: xp.unwrap(p), np.ones(3, bool))


def test_by_numpy() -> None:
    agree(lambda xp, x: [np.gradient(x), np.trapezoid(x), np.unwrap(x)], numbers((5,)))
