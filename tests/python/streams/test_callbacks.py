"""Python functions that are called with parts of arrays."""

from typing import Any

import numpy as np
import pytest
from support.compare import agree


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -3])
def test_along_axes(axis: int) -> None:
    def run(xp: Any, x: Any) -> list[Any]:
        return [
            xp.apply_along_axis(xp.sum, axis, x),
            xp.apply_along_axis(lambda line: line[::-1] * 2, axis, x[::-1]),
            xp.apply_along_axis(lambda line: xp.outer(line, line[:2]), axis, x),
            xp.apply_along_axis(lambda line, n, m=1: line[0] * n + m, axis, x, 3, m=0.5),
            xp.apply_along_axis(lambda line: 7, axis, x),
        ]

    agree(run, np.arange(24).reshape(2, 3, 4))


def test_over_axes() -> None:
    def run(xp: Any, x: Any) -> list[Any]:
        return [
            xp.apply_over_axes(xp.sum, x, (0, -1)),
            xp.apply_over_axes(xp.cumsum, x, [1]),
            xp.apply_over_axes(xp.max, x, 2),
            xp.apply_over_axes(xp.max, x, []),
        ]

    agree(run, np.arange(24).reshape(2, 3, 4))


def test_errors() -> None:
    for call in (
        lambda xp, x: xp.apply_along_axis(xp.sum, 0, x[:, :0]),
        lambda xp, x: xp.apply_along_axis(xp.sum, 3, x),
        lambda xp, x: xp.apply_along_axis(lambda line: line[: int(line[0]) + 1], 1, x),
        lambda xp, x: xp.apply_over_axes(lambda a, axis: xp.sum(a), x, [0]),
        lambda xp, x: xp.apply_over_axes(xp.sum, x, [5]),
        lambda xp, x: xp.piecewise(x, [x > 0], [1, 2, 3]),
        lambda xp, x: xp.piecewise(x, [x > 0, x < 0], [1]),
        lambda xp, x: xp.piecewise(x, x[:0] > 0, [1]),
    ):
        agree(call, np.arange(6).reshape(2, 3))


@pytest.mark.parametrize("dtype", ["i8", "f4", "c16", "?"])
def test_piecewise(dtype: str) -> None:
    def run(xp: Any, x: Any, y: Any) -> list[Any]:
        return [
            xp.piecewise(x, [y < 1, y >= 1], [lambda part: part * part, 2]),
            xp.piecewise(x, [y < 1], [1, lambda part: part]),
            xp.piecewise(x, y < 1, [1, 0]),
            xp.piecewise(x, [y > 100], [lambda part: 1 / 0]),
            xp.piecewise(x.T, [y.T > 0, y.T > 2], [5, lambda part, n, m: part * n * m], 3, m=2),
            xp.piecewise(x[0], [True, False, True], [1]) if x.ndim == 1 else x,
            xp.piecewise(x[:0], [y[:0] > 0], [1]),
            xp.piecewise(x[0, 0], [y[0, 0] < 1, y[0, 0] >= 1], [lambda part: part * 1, 9]),
            xp.piecewise(3, [True], [lambda part: part * 2]),
        ]

    y = np.arange(-4, 4).reshape(2, 4)
    agree(run, y.astype(dtype), y)


def test_by_numpy() -> None:
    def run(xp: Any, x: Any) -> list[Any]:
        return [
            np.apply_along_axis(np.sum, 0, x),
            np.apply_over_axes(np.sum, x, 0),
            np.piecewise(x, [x > 2], [1, 0]),
        ]

    agree(run, np.arange(6).reshape(2, 3))
