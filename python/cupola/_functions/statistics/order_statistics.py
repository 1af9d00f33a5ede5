"""What sorted elements tell: medians and quantiles."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.arguments import axes_in
from cupola._functions.few_elements import few_by_numpy

if TYPE_CHECKING:
    from cupola._typing import ArrayLike, AxisLike

__all__ = [
    "median",
    "percentile",
    "quantile",
]


def rows_of(array: ndarray, axis: AxisLike) -> tuple[ndarray, tuple[int, ...]]:
    """The reduced axes as the last one, and the shape with keepdims=True."""
    axes = range(array.ndim) if axis is None else axes_in(axis, array.ndim)
    kept = [extent for i, extent in enumerate(array.shape) if i not in axes]
    count = int(np.prod([array.shape[i] for i in axes], dtype=np.int64))
    moved = _core.moveaxis(array, axes, list(range(array.ndim - len(axes), array.ndim)))
    rows = _core.reshape(moved, (*kept, count))
    full = tuple(1 if i in axes else extent for i, extent in enumerate(array.shape))
    return rows, full


def by_ranks(rows: ndarray, ranks: Any) -> ndarray:
    """What sorted rows have at places on the host; these come first in the shape."""
    places = _core.upload(np.asarray(ranks, np.int64), None, rows.device)
    return _core.select_ranks(rows, places)


def in_c_order(found: ndarray) -> ndarray:
    """Quantiles lie so, unlike medians."""
    return found if found.flags.c_contiguous else _core.copy(found)


def finished(result: ndarray, shape: tuple[int, ...], out: ndarray | None) -> ndarray:
    """The result of that shape, written into `out` where there is one."""
    result = _core.reshape(result, shape)
    if out is None:
        return result
    if not isinstance(out, ndarray):
        raise TypeError("return arrays must be of ArrayType")
    if out.shape != result.shape:
        raise ValueError(f"the output has shape {out.shape}, the result {result.shape}")
    _core.copyto(out, result, "unsafe", True)
    return out


def or_nan(result: ndarray, last: ndarray) -> ndarray:
    """The result, or the last ones of the sorted elements where these are NaN."""
    if last.dtype.kind in "biu" or not last.size:
        return result
    return _core.where(_core._ufuncs["isnan"](last), last, result)


@few_by_numpy(np.median)
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

    Returns
    -------
    ndarray
        NaN where there is one.

    Raises
    ------
    numpy.exceptions.AxisError
        For an axis that is not there.

    Examples
    --------
    >>> import cupola as cp
    >>> float(cp.median([1, 3, 2]))
    2.0
    """
    rows, full = rows_of(_core.as_array(a), axis)
    count = rows.shape[-1]
    ranks = sorted({(count - 1) // 2, count // 2}) if count else []
    found = by_ranks(rows, [*ranks, count - 1] if count else ranks)
    middle = found[: len(ranks)]
    # As NumPy's mean, which computes in the type of its output.
    dtype = out.dtype if isinstance(out, ndarray) and out.dtype.kind == "f" else None
    result = _core.mean(middle, 0, dtype)
    if count:
        result = or_nan(result, found[-1])
    return finished(result, full if keepdims else rows.shape[:-1], out)


def _with_offsets(alpha: float, beta: float) -> Callable[[int, Any], Any]:
    return lambda n, q: n * q + (alpha + q * (1 - alpha - beta)) - 1


def _at_steps(index: Any, stays: Callable[[Any, Any], Any]) -> Any:
    """Whole places: the one below where `stays(fraction, index)` holds, else the next one."""
    below = np.floor(index)
    return np.maximum(np.where(stays(index - below, index), below, below + 1), 0).astype(np.intp)


# Where a quantile lies among n sorted elements: a whole place, or one between two of them. Hyndman
# and Fan, "Sample Quantiles in Statistical Packages" (1996), and NumPy's own.
PLACES: dict[str, Callable[[Any, Any], Any]] = {
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

WHOLE = ("inverted_cdf", "closest_observation", "lower", "higher", "nearest")
"""The methods whose places are whole for every share."""


def part_of(method: str, place: Any, below: Any) -> Any:
    """How much of the upper neighbour a place has."""
    part = place - below  # an array also for one place
    if method == "averaged_inverted_cdf":
        part = np.where(part == 0, 0.5, 1.0)
    elif method == "midpoint":
        part = np.where(place % 1 == 0, 0.0, 0.5)
    return part.astype(place.dtype)


def between(low: ndarray, high: ndarray, part: Any, rest: Any) -> ndarray:
    """Of two neighbours, from the nearer one; the parts of the way there and back."""
    step = high - low
    if isinstance(part, float):
        return high - step * rest if part >= 0.5 else low + step * part
    return _core.where(part >= 0.5, high - step * rest, low + step * part)


def check_method(method: str) -> None:
    """Raise NumPy's ValueError where there is no such method."""
    if method not in PLACES:
        raise ValueError(f"{method!r} is not a valid method. Use one of: {PLACES.keys()}")


def _rows_at(found: ndarray, numbers: Any) -> ndarray:
    """Rows by their numbers, which ascend in most calls: then a view."""
    first = int(numbers[0]) if numbers.size else 0
    if np.array_equal(numbers, np.arange(first, first + numbers.size)):
        return found[first : first + numbers.size]
    return _core.take(found, _core.upload(numbers, None, found.device), 0)


def _quantile(
    array: ndarray, q: Any, weak: bool, axis: AxisLike, out: Any, method: str, keepdims: bool
) -> ndarray:
    rows, full = rows_of(array, axis)
    check_method(method)
    count = rows.shape[-1]
    shape = q.shape + (full if keepdims else rows.shape[:-1])

    def at(*places: Any) -> list[ndarray]:
        """The elements at each of these lists of places, and behind them the last one."""
        wanted = [np.where(each < 0, each + count, each).astype(np.int64) for each in places]
        ranks = np.unique(np.concatenate([*wanted, [count - 1] if count else []]).astype(np.int64))
        found = in_c_order(by_ranks(rows, ranks))
        return [*(_rows_at(found, np.searchsorted(ranks, each)) for each in wanted), found[-1:]]

    place = np.asarray(PLACES[method](count, q.ravel()))
    if method in WHOLE or (method == "linear" and place.dtype.kind in "iu"):
        return finished(or_nan(*at(place)), shape, out)
    below = np.floor(place)
    beyond, before = place >= count - 1, place < 0
    below = np.where(beyond, -1, np.where(before, 0, below))
    above = np.where(beyond, -1, np.where(before, 0, below + 1))
    part: Any = part_of(method, place, below)
    if weak:  # leaves the dtype as it is
        part = float(part[0])
    else:
        part = _core.reshape(
            _core.upload(part, None, array.device), (part.size,) + (1,) * (rows.ndim - 1)
        )
    low, high, last = at(below, above)
    result = or_nan(between(low, high, part, 1 - part), last)
    if out is not None and not _core.can_cast(result.dtype, out.dtype, "same_kind"):
        raise TypeError(f"Cannot cast quantiles of {result.dtype} to an output of {out.dtype}")
    if out is not None and out.shape != shape:  # as that of a universal function
        result, shape = _core.broadcast_to(_core.reshape(result, shape), out.shape), out.shape
    return finished(result, shape, out)


@dataclass(frozen=True)
class Shares:
    """Which quantiles are wanted of what; checked."""

    array: ndarray
    q: Any  # on the host
    weak: bool  # a number of Python's, which leaves the dtype as it is

    @classmethod
    def of(cls, a: ArrayLike, q: Any, hundred: bool) -> Shares:
        """Raises NumPy's errors. `hundred`: percentages."""
        array = _core.as_array(a)
        if array.dtype.kind == "c":
            raise TypeError("a must be an array of real numbers")
        shares = np.asarray(_core.download(q) if isinstance(q, ndarray) else q)
        if hundred:
            shares = np.asarray(np.true_divide(shares, 100))
        if shares.ndim > 2:
            raise ValueError("q must be a scalar or 1d")
        if shares.size and not (np.all(shares >= 0) and np.all(shares <= 1)):
            what = "Percentiles" if hundred else "Quantiles"
            raise ValueError(f"{what} must be in the range [0, {100 if hundred else 1}]")
        return cls(array, shares, type(q) in (int, float))

    def find(self, axis: AxisLike, out: Any, method: str, keepdims: bool, weights: Any) -> ndarray:
        """The quantiles, weighted where there are weights."""
        if weights is None:
            return _quantile(self.array, self.q, self.weak, axis, out, method, keepdims)
        from cupola._functions.statistics.weighted_quantiles import (
            checked_weights,
            weighted_quantile,
        )

        weights = checked_weights(self.array, weights, axis, method)
        return weighted_quantile(self.array, self.q, weights, axis, out, keepdims)


@few_by_numpy(np.quantile)
def quantile(
    a: ArrayLike,
    q: ArrayLike,
    axis: AxisLike = None,
    out: ndarray | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | None = None,
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
    weights : array_like, optional
        How much each element counts, only with the method 'inverted_cdf': of the shape of `a`, or
        of that of its axes `axis`.

    Returns
    -------
    ndarray
        Floating point for methods that interpolate, else of the dtype of `a`. NaN where there is a
        NaN among the elements.

    Raises
    ------
    ValueError
        For shares out of range, unknown methods, weights with other methods, and weights that are
        negative, not finite, all zero or of another shape.
    TypeError
        For complex numbers, and for weights of another shape without an axis.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.quantile(cp.asarray([4.0, 1.0, 3.0, 2.0]), [0.5, 1.0]).tolist()
    [2.5, 4.0]
    >>> float(cp.quantile(cp.asarray([1.0, 2.0]), 0.5, method="inverted_cdf", weights=[1, 3]))
    2.0
    """
    return Shares.of(a, q, False).find(axis, out, method, keepdims, weights)


@few_by_numpy(np.percentile)
def percentile(
    a: ArrayLike,
    q: ArrayLike,
    axis: AxisLike = None,
    out: ndarray | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | None = None,
) -> ndarray:
    """Percentiles: `quantile` with shares from 0 to 100.

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
    >>> cp.percentile(cp.asarray([[1.0, 2.0, 3.0], [6.0, 5.0, 4.0]]), 50, axis=1).tolist()
    [2.0, 5.0]
    """
    return Shares.of(a, q, True).find(axis, out, method, keepdims, weights)
