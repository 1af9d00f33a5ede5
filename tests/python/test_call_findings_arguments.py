"""Arguments that random calls beside NumPy found taken or refused otherwise, each cause once."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp
from support.compare import Tolerance, agree

CALLS: dict[str, Callable[[Any], Any]] = {
    f"norms along the axis {axis!r}": lambda xp, axis=axis: xp.linalg.vector_norm(
        xp.asarray(np.arange(6.0).reshape(2, 3)), axis=axis
    )
    for axis in (-0.0, "1", 1.7, np.float64(1), [0], (0.0,), 1j, 2, -3, True)
} | {
    f"points in {points!r}": lambda xp, points=points: xp.histogramdd(points)
    for points in ({}, {1: 2}, {1, 2}, (), "", "x", 5, None, range(3), [[1, 2], [3]], [1, "a"])
}
CALLS |= {
    f"{shape!r} extents in an array": lambda xp, shape=shape: xp.resize(
        xp.asarray([1.0, 2, 3]), xp.asarray(np.array(shape))
    )
    for shape in ([2, 3], [2], [], [0, 2], [[2, 3]], [2.0, 3.0], [-1, 2])
} | {
    f"weights {weights!r} of no points": lambda xp, weights=weights: [
        xp.histogramdd(xp.asarray([]), weights=weights),
        xp.histogram2d(xp.asarray([]), xp.asarray([]), weights=weights, bins=2),
    ]
    for weights in ([False, True], [], [[1.5, 2]], 3)
}
CALLS["points in arrays"] = lambda xp: xp.histogramdd((xp.ones(3), xp.asarray([0, 1, 2])), bins=2)
CALLS["points of an iterator"] = lambda xp: xp.histogramdd(iter([1, 2]))


@pytest.mark.parametrize("name", CALLS)
def test_calls(name: str) -> None:
    agree(CALLS[name], what=name)


@pytest.mark.parametrize("axis", [0, -1, (0, 1), None])
def test_vector_norms_keep_dimensions(axis: Any) -> None:
    agree(
        lambda xp, a: [
            xp.linalg.vector_norm(a, axis=axis, keepdims=True, ord=order) for order in (0, 1, 2, 3)
        ],
        np.arange(6.0).reshape(2, 3),
        tolerance=Tolerance(2),
    )


def test_points_in_arrays_stay_on_their_device() -> None:
    hist, edges = cp.histogramdd((cp.ones(3), cp.zeros(3)), bins=2)
    assert isinstance(hist, cp.ndarray)
    assert hist.shape == (2, 2)
    assert len(edges) == 2
