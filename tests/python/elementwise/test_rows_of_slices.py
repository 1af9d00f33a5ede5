"""Elementwise functions of slices: rows that lie in memory, columns beside them, and repeats."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cupola_under_test import cp, from_numpy, to_numpy

WIDTHS = [15, 16, 33, 200, 300]
Function = Callable[[Any, Any, int], Any]

# Of a table and the width of what is taken from it.
FUNCTIONS: dict[str, Function] = {
    "neighbours": lambda xp, a, w: a[1:-1, 1 : w + 1] + a[:-2, 1 : w + 1] - a[2:, 2 : w + 2] * 2,
    "column before": lambda xp, a, w: a[:, :1] - a[:, 2 : w + 2],
    "column behind": lambda xp, a, w: a[:, 2 : w + 2] - a[:, :1],
    "column twice": lambda xp, a, w: a[:, 2 : w + 2] - a[:, :1] * (a[:, :1] - a[:, 1 : w + 1]),
    "columns alone": lambda xp, a, w: (a[:, :1] + a[:, 1:2]) * xp.ones((1, w), a.dtype),
    "column by itself": lambda xp, a, w: a[:, :1] * a[:, :1] + a[:, 1 : w + 1],
    "row": lambda xp, a, w: a[:, 1 : w + 1] * a[3, 2 : w + 2] + a[:, :1],
    "chosen": lambda xp, a, w: xp.where(a[:, :1] > a[:, 1:2], a[:, :w], a[:, 2:3]),
    "chosen by rows": lambda xp, a, w: xp.where(a[:, :w] > a[:, :1], a[:, :1], a[4, :w]),
    "numbers": lambda xp, a, w: 3 - a[:, 1 : w + 1] * 2 + a[:, :1] * 5,
    "another type": lambda xp, a, w: a[:, 1 : w + 1].astype("f8") + a[:, :1],
    "of three dimensions": lambda xp, a, w: (
        a[:, None, 1 : w + 1] + a[None, :5, 2 : w + 2] + a[:, :5, None]
    ),
    "apart": lambda xp, a, w: a[:, : w // 2 * 2 : 2] * 3 - a[:, w // 2 - 1 :: -1],
    "apart and columns": lambda xp, a, w: a[:, 1 : w // 2 * 2 : 2] - a[:, :1] * a[2, : w // 2],
    "rolled": lambda xp, a, w: (
        xp.roll(a[:, :w], 1, 0) + xp.roll(a[:, :w], -3, 1) - xp.roll(a[:, :w], (2, 5), (0, 1))
    ),
    "rolled columns": lambda xp, a, w: xp.roll(a[:, :1], 7, 0) - xp.roll(a[:, 1 : w + 1], 1, 1),
    "rolled in three": lambda xp, a, w: (
        xp.roll(a[:280, :w].reshape(20, 14, w), (3, 5, -2), (0, 1, 2)) + a[:14, 2 : w + 2]
    ),
    "column copied": lambda xp, a, w: xp.broadcast_to(a[:, 1:2], (a.shape[0], w)) + 0,
    "compared": lambda xp, a, w: (a[:, 1 : w + 1] < a[:, :1]) | (a[:, 2 : w + 2] == a[2, :w]),
}


@pytest.fixture(params=["float64", "float32", "int16"])
def table(request: Any) -> np.ndarray:
    return (np.random.default_rng(7).random((300, 310)) * 100).astype(request.param)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_values(table: np.ndarray, name: str, width: int) -> None:
    wanted = FUNCTIONS[name](np, table, width)
    found = to_numpy(FUNCTIONS[name](cp, from_numpy(table), width))
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_stored_into_slices(table: np.ndarray, name: str, width: int) -> None:
    """Which leaves what is beside them."""
    wanted = FUNCTIONS[name](np, table, width)
    whole = np.full([extent + 9 for extent in wanted.shape], 77, wanted.dtype)
    inside = tuple(slice(4, 4 + extent) for extent in wanted.shape)
    target = from_numpy(whole)
    target[inside] = FUNCTIONS[name](cp, from_numpy(table), width)
    whole[inside] = wanted
    np.testing.assert_array_equal(to_numpy(target), whole)


@pytest.mark.parametrize("width", WIDTHS)
def test_updates_in_place(table: np.ndarray, width: int) -> None:
    def update(a: Any) -> None:
        a[:, 2 : width + 2] -= a[:, :1] * a[3, 1 : width + 1]
        a[1:, 1 : width + 1] += a[:1, 1 : width + 1]
        a[5, 2 : width + 2] = a[6, 3 : width + 3] - 1
        a[::2, 1 : width + 1] *= 2

    device = from_numpy(table)
    update(device)
    update(table)
    np.testing.assert_array_equal(to_numpy(device), table)


@pytest.mark.parametrize("width", WIDTHS)
def test_values_stored_apart(table: np.ndarray, width: int) -> None:
    def update(a: Any) -> None:
        count = width // 2
        a[:, 1 : 1 + 2 * count : 2] = a[:, :1] + a[5, :count] * 2
        a[::3, width : width - count : -1] -= a[::3, :1]
        a[1::2, : 2 * count : 2] = a[1::2, 300:301]

    device = from_numpy(table)
    update(device)
    update(table)
    np.testing.assert_array_equal(to_numpy(device), table)


def test_long_rolled_rows() -> None:
    """Pieces of rows between the places where operands turn."""
    host = np.random.default_rng(9).random((30, 1500))

    def sums(xp: Any, a: Any) -> Any:
        moved = [xp.roll(a, shift, axis) for shift, axis in ((1, 0), (-7, 1), ((2, 5), (0, 1)))]
        return moved[0] + moved[1] * a[:, :1] - moved[2][::-1] + xp.roll(a[:, ::2], 3, 1)[:, :1]

    np.testing.assert_array_equal(to_numpy(sums(cp, from_numpy(host))), sums(np, host))
    cube = host.reshape(3, 10, 1500)
    wanted = np.roll(cube, (1, -3, 40), (0, 1, 2)) - cube * 2
    device = from_numpy(cube)
    np.testing.assert_array_equal(
        to_numpy(cp.roll(device, (1, -3, 40), (0, 1, 2)) - device * 2), wanted
    )


def test_several_results_of_rows(table: np.ndarray) -> None:
    a = from_numpy(table)
    for width in WIDTHS:
        for found, wanted in zip(
            cp.divmod(a[:, 1 : width + 1], a[:, :1] + 1),
            np.divmod(table[:, 1 : width + 1], table[:, :1] + 1),
            strict=True,
        ):
            np.testing.assert_array_equal(to_numpy(found), wanted)


def test_rows_for_every_thread() -> None:
    host = np.random.default_rng(8).random((9000, 130))
    a = from_numpy(host)
    found = a[1:-1, 1:129] * 2 + a[:-2, 1:129] - a[2:, :1]
    np.testing.assert_array_equal(
        to_numpy(found), host[1:-1, 1:129] * 2 + host[:-2, 1:129] - host[2:, :1]
    )
