"""Whole rows that are gathered and scattered: lengths around tiles, places that follow one another
and others, every dtype, views, rows named twice."""

from typing import Any

import numpy as np
import pytest
from support.compare import agree
from support.dtypes import ALL_DTYPES, name
from support.samples import small_values

LENGTHS = [1, 63, 64, 65, 255, 256, 300, 1025, 5000]
ROWS = np.array([5, 0, -1, 5, 12, 3])
MASK = np.arange(13) % 3 == 1


@pytest.mark.parametrize("length", LENGTHS)
def test_lengths_around_tiles(length: int) -> None:
    a = np.arange(13.0 * length).reshape(13, length)

    def run(xp: Any, x: Any, rows: Any, mask: Any) -> list[Any]:
        scattered, filled, masked = x.copy(), x.copy(), x.copy()
        scattered[rows] = xp.arange(6.0 * length).reshape(6, length)
        filled[rows] = xp.arange(6.0)[:, None]
        masked[mask] *= 2
        taken = xp.take(x, rows, axis=0)
        return [x[rows], x[mask], taken, xp.compress(mask, x, axis=0), scattered, filled, masked]

    agree(run, a, ROWS, MASK)


@pytest.mark.parametrize("dtype", ALL_DTYPES, ids=name)
def test_every_dtype(dtype: np.dtype) -> None:
    a = small_values(dtype, (13, 200), 3)

    def run(xp: Any, x: Any, rows: Any, mask: Any) -> list[Any]:
        into = x.copy()
        into[mask] = x[mask[::-1]][: mask.sum()]
        return [x[rows], x[mask], into]

    agree(run, a, ROWS, np.roll(MASK, 6) & MASK[::-1])


def test_places_that_do_not_follow_one_another() -> None:
    """Of rows or columns with gaps, backwards, broadcast, and in a volume."""
    a = np.random.default_rng(1).random((13, 20, 130))

    def run(xp: Any, x: Any, rows: Any, mask: Any) -> list[Any]:
        plane = x[:, 3]
        into = x.copy()
        into[rows, ::2] = x[0, ::2]
        into[:, :, ::-1][mask] = x[mask, ::-1] + 1
        return [
            x[rows],
            plane[rows],
            x.T[rows],
            x[:, rows],
            x[:, :, rows],
            x[:, ::-1][rows],
            x[:, :, ::2][rows],
            x[:, :, 1:-1][mask],
            xp.broadcast_to(x[:, :1, :], x.shape)[rows],
            x[rows] + x[rows[::-1]],
            into,
        ]

    agree(run, a, ROWS, MASK)


def test_two_gathers_share_the_places_of_their_rows() -> None:
    a = np.random.default_rng(2).integers(-99, 99, (13, 300)).astype(float)  # sums are exact

    def run(xp: Any, x: Any, y: Any, rows: Any) -> list[Any]:
        return [x[rows] * y[rows], xp.where(x[rows] > 0.5, y[rows], 0), (x[rows] - y[rows]).sum(0)]

    agree(run, a, a[::-1].copy(), ROWS)


def test_results_of_before_are_not_overwritten() -> None:
    a = np.random.default_rng(3).random((13, 300))

    def run(xp: Any, x: Any, rows: Any) -> list[Any]:
        before = x[rows]
        x[rows] = before[::-1] * 2
        x[0] = x[rows][2]
        return [before, x]

    agree(run, a, np.array([4, 9, 1]))
