"""What sorted elements tell: medians and quantiles."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._arguments import axis_in
from cupola._cupola import ndarray

if TYPE_CHECKING:
    from cupola._typing import ArrayLike, AxisLike

__all__ = [
    "median",
    "percentile",
    "quantile",
]


def _sorted_rows(array: ndarray, axis: AxisLike) -> tuple[ndarray, tuple[int, ...]]:
    """The reduced axes as the last one, sorted, and the shape with keepdims=True."""
    if axis is None:
        axes = list(range(array.ndim))
    else:
        given = axis if isinstance(axis, tuple | list) else (axis,)
        axes = [axis_in(one, array.ndim) for one in given]
        if len(set(axes)) != len(axes):
            raise ValueError("repeated axis")
    kept = [extent for i, extent in enumerate(array.shape) if i not in axes]
    count = int(np.prod([array.shape[i] for i in axes], dtype=np.int64))
    moved = _core.moveaxis(array, axes, list(range(array.ndim - len(axes), array.ndim)))
    rows = _core.reshape(moved, (*kept, count))
    full = tuple(1 if i in axes else extent for i, extent in enumerate(array.shape))
    return _core.sort(rows, -1), full


def _finished(result: ndarray, shape: tuple[int, ...], out: ndarray | None) -> ndarray:
    result = _core.reshape(result, shape)
    if out is None:
        return result
    if out.shape != result.shape:
        raise ValueError(f"the output has shape {out.shape}, the result {result.shape}")
    _core.copyto(out, result, "unsafe", True)
    return out


def _or_nan(result: ndarray, rows: ndarray) -> ndarray:
    """The result, or the NaN that stands last in a row that has any."""
    if rows.dtype.kind in "biu" or rows.shape[-1] == 0:
        return result
    last = rows[..., -1]
    return _core.where(_core._ufuncs["isnan"](last), last, result)


def median(
    a: ArrayLike,
    axis: AxisLike = None,
    out: ndarray | None = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> ndarray:
    """The middle one of the sorted elements, or the mean of the middle two.

    Parameters
    ----------
    axis : int, tuple of int or None
        The axes whose elements are taken together. None: all.
    overwrite_input : bool
        Accepted; the input stays as it is.
    keepdims : bool
        These axes stay, with an extent of 1.
    """
    rows, full = _sorted_rows(_core.as_array(a), axis)
    count = rows.shape[-1]
    middle = rows[..., max((count - 1) // 2, 0) : count // 2 + 1]
    # As NumPy's mean, which computes in the type of its output.
    dtype = out.dtype if out is not None and out.dtype.kind == "f" else None
    result = _or_nan(_core.mean(middle, -1, dtype), rows)
    return _finished(result, full if keepdims else rows.shape[:-1], out)


def _with_offsets(alpha: float, beta: float) -> Callable[[int, Any], Any]:
    return lambda n, q: n * q + (alpha + q * (1 - alpha - beta)) - 1


def _at_steps(index: Any, stays: Callable[[Any, Any], Any]) -> Any:
    """Whole places: the one below where `stays(fraction, index)` holds, else the next one."""
    below = np.floor(index)
    return np.maximum(np.where(stays(index - below, index), below, below + 1), 0).astype(np.intp)


# Where a quantile lies among n sorted elements: a whole place, or one between two of them. Hyndman
# and Fan, "Sample Quantiles in Statistical Packages" (1996), and NumPy's own.
_PLACES: dict[str, Callable[[int, Any], Any]] = {
    "inverted_cdf": lambda n, q: _at_steps(n * q - 1, lambda part, _: part == 0),
    "averaged_inverted_cdf": lambda n, q: n * q - 1,
    "closest_observation": lambda n, q: _at_steps(
        n * q - 1 - 0.5, lambda part, index: (part == 0) & (np.floor(index) % 2 == 1)
    ),
    "interpolated_inverted_cdf": _with_offsets(0, 1),
    "hazen": _with_offsets(0.5, 0.5),
    "weibull": _with_offsets(0, 0),
    "linear": lambda n, q: (n - 1) * q,
    "median_unbiased": _with_offsets(1 / 3.0, 1 / 3.0),
    "normal_unbiased": _with_offsets(3 / 8.0, 3 / 8.0),
    "lower": lambda n, q: np.floor((n - 1) * q).astype(np.intp),
    "higher": lambda n, q: np.ceil((n - 1) * q).astype(np.intp),
    "midpoint": lambda n, q: 0.5 * (np.floor((n - 1) * q) + np.ceil((n - 1) * q)),
    "nearest": lambda n, q: np.around((n - 1) * q).astype(np.intp),
}

_WHOLE = ("inverted_cdf", "closest_observation", "lower", "higher", "nearest")
"""The methods whose places are whole for every share."""


def _weights(method: str, place: Any, below: Any) -> Any:
    """How much of the upper neighbour a place has."""
    part = place - below
    if method == "averaged_inverted_cdf":
        part = np.where(part == 0, 0.5, 1.0)
    elif method == "midpoint":
        part = np.where(place % 1 == 0, 0.0, 0.5)
    return np.asarray(part, place.dtype)


def _between(low: ndarray, high: ndarray, part: Any) -> ndarray:
    """Of two neighbours, from the nearer one."""
    step = high - low
    if isinstance(part, float):
        return high - step * (1 - part) if part >= 0.5 else low + step * part
    return _core.where(part >= 0.5, high - step * (1 - part), low + step * part)


def _quantile(
    array: ndarray, q: Any, weak: bool, axis: AxisLike, out: Any, method: str, keepdims: bool
) -> ndarray:
    if method not in _PLACES:
        raise ValueError(f"{method!r} is not a valid method. Use one of: {_PLACES.keys()}")
    if q.ndim > 2:
        raise ValueError("q must be a scalar or 1d")
    rows, full = _sorted_rows(array, axis)
    count = rows.shape[-1]
    shape = q.shape + (full if keepdims else rows.shape[:-1])
    columns = _core.moveaxis(rows, [rows.ndim - 1], [0])

    def at(places: Any) -> ndarray:
        return _core.take(columns, _core.upload(places.astype(np.int64), None, array.device), 0)

    place = np.asarray(_PLACES[method](count, q.ravel()))
    if method in _WHOLE or (method == "linear" and place.dtype.kind in "iu"):
        return _finished(_or_nan(at(place), rows), shape, out)
    below = np.floor(place)
    beyond, before = place >= count - 1, place < 0
    below = np.where(beyond, -1, np.where(before, 0, below))
    above = np.where(beyond, -1, np.where(before, 0, below + 1))
    part: Any = _weights(method, place, below)
    if weak:  # leaves the dtype as it is
        part = float(part[0])
    else:
        part = _core.reshape(
            _core.upload(part, None, array.device), (part.size,) + (1,) * (rows.ndim - 1)
        )
    result = _or_nan(_between(at(below), at(above), part), rows)
    if out is not None and not _core.can_cast(result.dtype, out.dtype, "same_kind"):
        raise TypeError(f"Cannot cast quantiles of {result.dtype} to an output of {out.dtype}")
    return _finished(result, shape, out)


def _host(value: Any) -> Any:
    return np.asarray(_core.download(value) if isinstance(value, ndarray) else value)


def _real(a: ArrayLike) -> ndarray:
    array = _core.as_array(a)
    if array.dtype.kind == "c":
        raise TypeError("a must be an array of real numbers")
    return array


def _check_unweighted(weights: Any) -> None:
    if weights is not None:
        raise NotImplementedError("quantiles with weights are not implemented")


def quantile(
    a: ArrayLike,
    q: ArrayLike,
    axis: AxisLike = None,
    out: ndarray | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: None = None,
) -> ndarray:
    """Values below which the shares `q` of the elements lie.

    Parameters
    ----------
    q : array_like
        Shares from 0 to 1. Their dimensions come first in the result.
    axis : int, tuple of int or None
        The axes whose elements are taken together. None: all.
    overwrite_input : bool
        Accepted; the input stays as it is.
    method : str
        One of NumPy's, which say what lies between two elements.
    keepdims : bool
        These axes stay, with an extent of 1.

    Raises
    ------
    ValueError
        For shares out of range and unknown methods.
    NotImplementedError
        With weights.
    """
    _check_unweighted(weights)
    array = _real(a)
    weak = type(q) in (int, float)
    shares = _host(q)
    if shares.size and not (np.all(shares >= 0) and np.all(shares <= 1)):
        raise ValueError("Quantiles must be in the range [0, 1]")
    return _quantile(array, shares, weak, axis, out, method, keepdims)


def percentile(
    a: ArrayLike,
    q: ArrayLike,
    axis: AxisLike = None,
    out: ndarray | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: None = None,
) -> ndarray:
    """`quantile` with shares from 0 to 100."""
    _check_unweighted(weights)
    array = _real(a)
    weak = type(q) in (int, float)
    shares = np.asarray(np.true_divide(_host(q), 100))
    if shares.size and not (np.all(shares >= 0) and np.all(shares <= 1)):
        raise ValueError("Percentiles must be in the range [0, 100]")
    return _quantile(array, shares, weak, axis, out, method, keepdims)
