"""Quantiles of elements that count for more or less."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.arguments import axis_in
from cupola._functions.statistics.order_statistics import finished, or_nan, rows_of

if TYPE_CHECKING:
    from cupola._typing import AxisLike

__all__: list[str] = []


def weighted_quantile(
    array: ndarray,
    q: Any,
    weights: ndarray,
    axis: AxisLike,
    out: Any,
    keepdims: bool,
    skips_nan: bool = False,
) -> ndarray:
    """The elements at which the sums of the sorted elements' weights reach shares of all of them.

    `q` is on the host, the weights are those of `checked_weights`. `skips_nan`: NaN has no weight;
    it is the result where there is nothing else. Raises ValueError for weights without a sum.
    """
    rows, full = rows_of(array, axis)
    weight_rows, _ = rows_of(weights, axis)
    if not rows.shape[-1]:
        raise IndexError("there are no elements to take quantiles of")
    order = _core.argsort(rows, -1)
    rows = _core.take_along_axis(rows, order, -1)
    weight_rows = _core.take_along_axis(_core.astype(weight_rows, np.float64), order, -1)
    places = _core.upload(q.ravel(), None, array.device)
    found = _found(rows, _cumulative(rows, weight_rows, q.dtype, skips_nan), places)
    if not skips_nan:
        found = or_nan(found, rows[..., -1])
    return finished(found, q.shape + (full if keepdims else rows.shape[:-1]), out)


def checked_weights(array: ndarray, weights: Any, axis: AxisLike, method: str) -> ndarray:
    """Weights of the shape of the array. Raises the errors of `quantile`."""
    if method != "inverted_cdf":
        raise ValueError(f"Only method 'inverted_cdf' supports weights. Got: {method}.")
    weight = _broadcast(array, weights, axis)
    if bool(_core.any(weight < 0)):
        raise ValueError("Weights must be non-negative.")
    return weight


def _broadcast(array: ndarray, weights: Any, axis: AxisLike) -> ndarray:
    """Those along some axes, for all elements."""
    if axis is not None:
        given: Any = axis if isinstance(axis, tuple | list) else [axis]
        axes = [axis_in(one, array.ndim) for one in given]
    weight = _core.as_array(weights, array.device)
    if weight.shape == array.shape:
        return weight
    if axis is None:
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    if weight.shape != tuple(array.shape[one] for one in axes):
        raise ValueError(
            "Shape of weights must be consistent with shape of a along specified axis."
        )
    weight = _core.transpose(weight, [int(i) for i in np.argsort(axes)])
    shape = [extent if i in axes else 1 for i, extent in enumerate(array.shape)]
    return _core.broadcast_to(_core.reshape(weight, shape), array.shape)


def _cumulative(rows: ndarray, weights: ndarray, dtype: Any, skips_nan: bool) -> ndarray:
    """The share of the weights up to each sorted element; -1 before the first that has any."""
    is_nan = _core._ufuncs["isnan"]
    if skips_nan:
        weights = _core.where(is_nan(rows), 0.0, weights)
    sums = _core.cumsum(weights, -1)
    total = sums[..., -1:]
    is_wrong = is_nan(total / total)
    if skips_nan:
        is_wrong = is_wrong & ~is_nan(rows[..., :1])
    if bool(_core.any(is_wrong)):
        raise ValueError("Weights included NaN, inf or were all zero.")
    shares = sums / total
    if dtype.kind == "f":
        shares = _core.astype(shares, dtype)
    return _core.where(shares == 0, -1.0, shares)


def _found(rows: ndarray, shares: ndarray, places: ndarray) -> ndarray:
    """The first elements of each row whose share reaches each place, places first."""
    last = rows.shape[-1] - 1
    if rows.ndim == 1:
        at = _core.searchsorted(shares, places, False)
        return _core.take(rows, _core._ufuncs["minimum"](at, last))
    places = _core.reshape(places, (-1,) + (1,) * rows.ndim)
    at = _core.sum(shares < places, -1, np.int64, None, True)
    return _core.take_along_axis(rows[None], _core._ufuncs["minimum"](at, last), -1)[..., 0]
