"""Least squares of series, whichever their basis."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola.polynomial._coefficients import on_host, points


def checked_degrees(deg: Any) -> np.ndarray:
    """The degree, or the degrees in order."""
    degrees = np.asarray(on_host(deg))
    if degrees.ndim > 1 or degrees.dtype.kind not in "iu" or degrees.size == 0:
        raise TypeError("deg must be an int or non-empty 1-D array of int")
    if degrees.min() < 0:
        raise ValueError("expected deg >= 0")
    return np.sort(degrees) if degrees.ndim else degrees


def checked_samples(x: Any, y: Any, w: Any) -> tuple[ndarray, ndarray, ndarray | None]:
    """Points, values and weights as arrays of floating or complex numbers."""
    x, y = points(x) + 0.0, points(y) + 0.0
    if x.ndim != 1:
        raise TypeError("expected 1D vector for x")
    if x.size == 0:
        raise TypeError("expected non-empty vector for x")
    if y.ndim < 1 or y.ndim > 2:
        raise TypeError("expected 1D or 2D array for y")
    if x.shape[0] != y.shape[0]:
        raise TypeError("expected x and y to have same length")
    if w is None:
        return x, y, None
    w = points(w) + 0.0
    if w.ndim != 1:
        raise TypeError("expected 1D vector for w")
    if x.shape[0] != w.shape[0]:
        raise TypeError("expected x and w to have same length")
    return x, y, w


def solve(
    columns: ndarray, norms: ndarray, values: ndarray, rcond: float
) -> tuple[ndarray, Any, Any, ndarray]:
    """The least squares of columns that are divided by their norms first."""
    from cupola.linalg import lstsq

    solution, residuals, rank, singular = lstsq(columns / norms, values, rcond)
    return (solution.T / norms).T, residuals, rank, singular


def column_norms(columns: ndarray) -> ndarray:
    """Those of zeros count as 1."""
    norms = _core._ufuncs["sqrt"](_core.sum((columns * columns.conj()).real, 0))
    return _core.where(norms == 0, 1, norms)


def warn_of_rank(rank: Any, order: int, message: str) -> None:
    """Say so where the columns are not independent."""
    if rank != order:
        warnings.warn(message, np.exceptions.RankWarning, stacklevel=4)


def fit(
    vander: Callable[[ndarray, int], ndarray],
    x: Any,
    y: Any,
    deg: Any,
    rcond: float | None,
    full: bool,
    w: Any,
) -> Any:
    """The coefficients of the series, and with `full` a list of how they were found."""
    degrees = checked_degrees(deg)
    x, y, w = checked_samples(x, y, w)
    largest = int(degrees.max())
    columns = vander(x, largest)
    if degrees.ndim:
        columns = columns[:, degrees.tolist()]
    values = y
    if w is not None:
        columns = columns * w[:, None]
        values = (y.T * w).T
    if rcond is None:
        rcond = x.size * np.finfo(x.dtype).eps
    solution, residuals, rank, singular = solve(columns, column_norms(columns), values, rcond)
    if degrees.ndim:
        all_degrees = _core.zeros((largest + 1, *solution.shape[1:]), solution.dtype)
        all_degrees[degrees.tolist()] = solution
        solution = all_degrees
    if full:
        return solution, [residuals, rank, singular, rcond]
    warn_of_rank(rank, columns.shape[1], "The fit may be poorly conditioned")
    return solution
