"""Medians and quantiles of what is not NaN."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.arguments import NoValue
from cupola._functions.statistics.nan_forms import nanmean
from cupola._functions.statistics.order_statistics import (
    PLACES,
    WHOLE,
    Shares,
    between,
    check_method,
    finished,
    in_c_order,
    median,
    part_of,
    rows_of,
)

if TYPE_CHECKING:
    from cupola._typing import ArrayLike, AxisLike

__all__ = ["nanmedian", "nanpercentile", "nanquantile"]


def nanmedian(
    a: ArrayLike,
    axis: AxisLike = None,
    out: ndarray | None = None,
    overwrite_input: bool = False,
    keepdims: Any = NoValue,
) -> ndarray:
    """`median` without NaN; NaN where there is nothing else.

    Parameters
    ----------
    a : array_like
        Of real numbers.
    axis : int, tuple of int or None
        None: of all elements.
    out : ndarray, optional
        Where the result is written.
    overwrite_input : bool
        Makes no difference.
    keepdims : bool
        The axes stay, with extent 1.

    Returns
    -------
    ndarray
        What is left of a's shape. Of a floating dtype: float64 for integers.

    Raises
    ------
    numpy.exceptions.AxisError
        For an axis that `a` does not have.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.nanmedian(cp.asarray([[1.0, cp.nan, 3.0], [cp.nan, cp.nan, cp.nan]]), 1).tolist()
    [2.0, nan]
    """
    array = _core.as_array(a)
    if not array.size:
        return nanmean(array, axis, None, out, keepdims)
    keepdims = keepdims is not NoValue and bool(keepdims)
    if not _has_nan(array):
        return median(array, axis, out, overwrite_input, keepdims)
    rows, number, full = _numbers(array, axis)
    both = _at(rows, number, _core.stack([(number - 1) // 2, number // 2]))
    result = _core.where(number % 2 == 1, both[0], _core.mean(both, 0))
    return finished(result, full if keepdims else rows.shape[:-1], out)


def nanquantile(
    a: ArrayLike,
    q: ArrayLike,
    axis: AxisLike = None,
    out: ndarray | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: Any = NoValue,
    *,
    weights: ArrayLike | None = None,
) -> ndarray:
    """`quantile` without NaN and its weights; NaN where there is nothing else.

    Parameters
    ----------
    a : array_like
        Of real numbers.
    q : float or array_like of float
        Shares, from 0 to 1.
    axis : int, tuple of int or None
        None: of all elements.
    out : ndarray, optional
        Where the result is written.
    overwrite_input : bool
        Makes no difference.
    method : str
        One of NumPy's thirteen, such as 'linear', 'lower', 'higher', 'midpoint', 'nearest',
        'inverted_cdf', 'median_unbiased'.
    keepdims : bool
        The axes stay, with extent 1.
    weights : array_like, optional
        Of the shape of `a`, or of its extent along `axis`; with 'inverted_cdf' alone.

    Returns
    -------
    ndarray
        The shape of `q` before what is left of a's. Of a floating dtype: float64 for integers.

    Raises
    ------
    ValueError
        For shares out of bounds, an unknown method, and weights that are negative or do not fit.
    TypeError
        For complex numbers.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.nanquantile(cp.asarray([cp.nan, 3.0, 1.0, 2.0]), [0.5, 1]).tolist()
    [2.0, 3.0]
    """
    return _without_nan(Shares.of(a, q, False), axis, out, method, keepdims, weights)


def nanpercentile(
    a: ArrayLike,
    q: ArrayLike,
    axis: AxisLike = None,
    out: ndarray | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: Any = NoValue,
    *,
    weights: ArrayLike | None = None,
) -> ndarray:
    """`nanquantile` with shares from 0 to 100.

    Parameters
    ----------
    a : array_like
        Of real numbers.
    q : float or array_like of float
        Shares, from 0 to 100.
    axis : int, tuple of int or None
        None: of all elements.
    out : ndarray, optional
        Where the result is written.
    overwrite_input : bool
        Makes no difference.
    method : str
        One of NumPy's thirteen, such as 'linear', 'lower', 'higher', 'midpoint', 'nearest',
        'inverted_cdf', 'median_unbiased'.
    keepdims : bool
        The axes stay, with extent 1.
    weights : array_like, optional
        Of the shape of `a`, or of its extent along `axis`; with 'inverted_cdf' alone.

    Returns
    -------
    ndarray
        The shape of `q` before what is left of a's. Of a floating dtype: float64 for integers.

    Raises
    ------
    ValueError
        For shares out of bounds, an unknown method, and weights that are negative or do not fit.
    TypeError
        For complex numbers.

    Examples
    --------
    >>> import cupola as cp
    >>> float(cp.nanpercentile(cp.asarray([cp.nan, 3.0, 1.0, 2.0]), 50))
    2.0
    """
    return _without_nan(Shares.of(a, q, True), axis, out, method, keepdims, weights)


def _has_nan(array: ndarray) -> bool:
    """Whether its dtype has NaN."""
    return array.dtype.kind in "fc" or array.dtype.name == "bfloat16"


def _numbers(array: ndarray, axis: AxisLike) -> tuple[ndarray, ndarray, tuple[int, ...]]:
    """As `rows_of`; and how many numbers each row has."""
    rows, full = rows_of(array, axis)
    is_number = ~_core._ufuncs["isnan"](rows)
    return rows, _core.sum(is_number, -1, np.int64), full


def _at(rows: ndarray, number: ndarray, places: ndarray) -> ndarray:
    """Elements of each row as if it were sorted, at places, which come first in the shape.

    Places beyond the numbers are the last one, those before the first are the first.
    """
    clipped = _core._ufuncs["minimum"](_core.astype(places, np.int64), number - 1)
    return _core.select_ranks(rows, _core._ufuncs["maximum"](clipped, 0))


def _without_nan(
    shares: Shares, axis: AxisLike, out: Any, method: str, keepdims: Any, weights: Any
) -> ndarray:
    array = shares.array
    keepdims = keepdims is not NoValue and bool(keepdims)
    if weights is not None:
        from cupola._functions.statistics.weighted_quantiles import (
            checked_weights,
            weighted_quantile,
        )

        weights = checked_weights(array, weights, axis, method)
    if not array.size:
        return nanmean(array, axis, None, out, keepdims)
    if weights is not None:
        skips = _has_nan(array)
        return weighted_quantile(array, shares.q, weights, axis, out, keepdims, skips)
    if not _has_nan(array):
        result = shares.find(axis, None, method, keepdims, None)
        return _row_by_row(finished(result, result.shape, out), shares.q.ndim, out)
    rows, number, full = _numbers(array, axis)
    check_method(method)
    result = _quantiles(rows, number, shares, method)
    shape = shares.q.shape + (full if keepdims else rows.shape[:-1])
    return _row_by_row(finished(result, shape, out), shares.q.ndim, out)


def _row_by_row(result: ndarray, leading: int, out: ndarray | None) -> ndarray:
    """The same stored as NumPy does: the quantiles of a row, the leading dimensions, together."""
    if out is not None or leading in (0, result.ndim):
        return result
    first, others = tuple(range(leading)), tuple(range(leading, result.ndim))
    stored = in_c_order(result.transpose(others + first))
    return stored.transpose(tuple(range(-leading, 0)) + tuple(range(len(others))))


def _quantiles(rows: ndarray, number: ndarray, shares: Shares, method: str) -> ndarray:
    """Of rows, in which so many elements count."""
    q = _core.upload(shares.q.ravel(), None, rows.device)
    q = _core.reshape(q, (-1,) + (1,) * number.ndim)
    # As a number of Python's would, the count takes the dtype of the shares.
    count = _core.astype(number, q.dtype) if q.dtype.kind == "f" else number
    place = PLACES[method](count, q)
    if method in WHOLE or (method == "linear" and place.dtype.kind in "iu"):
        return in_c_order(_at(rows, number, place))
    below = _core._ufuncs["floor"](place)
    count_of_shares = below.shape[0]
    both = in_c_order(_at(rows, number, _core.concatenate([below, below + 1])))
    low, high = both[:count_of_shares], both[count_of_shares:]
    high = _core.where(place < 0, low, high)
    part = part_of(method, place, below)
    parts = [part, 1 - part]
    if shares.weak:
        parts = [_core.astype(each, rows.dtype) for each in parts]
    return between(low, high, *parts)
