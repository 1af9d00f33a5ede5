"""Reductions, averages and running sums, with NumPy's signatures."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray

if TYPE_CHECKING:
    from cupola._typing import ArrayLike, AxisLike, DTypeLike

__all__ = [
    "all",
    "amax",
    "amin",
    "any",
    "argmax",
    "argmin",
    "average",
    "count_nonzero",
    "cumprod",
    "cumsum",
    "cumulative_prod",
    "cumulative_sum",
    "diff",
    "ediff1d",
    "max",
    "mean",
    "min",
    "nanargmax",
    "nanargmin",
    "nancumprod",
    "nancumsum",
    "nanmax",
    "nanmean",
    "nanmin",
    "nanprod",
    "nanstd",
    "nansum",
    "nanvar",
    "prod",
    "ptp",
    "std",
    "sum",
    "var",
]

_NoValue = np._NoValue


def _flag(keepdims: Any) -> bool:
    return False if keepdims is _NoValue else bool(keepdims)


def sum(
    a: ArrayLike,
    axis: AxisLike = None,
    dtype: DTypeLike = None,
    out: ndarray | None = None,
    keepdims: Any = _NoValue,
    initial: Any = _NoValue,
    where: Any = _NoValue,
) -> ndarray:
    """Sum of elements.

    Parameters
    ----------
    a : array
    axis : int, tuple of ints or None
        None: over all elements.
    dtype : optional
        Of the sum and the result; default: int64 or uint64 for smaller integers, else a's.
    out : array, optional
    keepdims : bool
        Keep the dimensions summed over, with extent 1.
    initial : number
        Where the sum starts.
    where : array of bool
        The elements to include.

    Raises
    ------
    numpy.exceptions.AxisError
    """
    return _core.sum(_core.as_array(a), axis, dtype, out, _flag(keepdims), initial, where)


def prod(
    a: ArrayLike,
    axis: AxisLike = None,
    dtype: DTypeLike = None,
    out: ndarray | None = None,
    keepdims: Any = _NoValue,
    initial: Any = _NoValue,
    where: Any = _NoValue,
) -> ndarray:
    """Product of elements; parameters as of `sum`."""
    return _core.prod(_core.as_array(a), axis, dtype, out, _flag(keepdims), initial, where)


def min(
    a: ArrayLike,
    axis: AxisLike = None,
    out: ndarray | None = None,
    keepdims: Any = _NoValue,
    initial: Any = _NoValue,
    where: Any = _NoValue,
) -> ndarray:
    """Smallest element; NaN if there is one. ValueError for no elements without `initial`."""
    return _core.min(_core.as_array(a), axis, None, out, _flag(keepdims), initial, where)


def max(
    a: ArrayLike,
    axis: AxisLike = None,
    out: ndarray | None = None,
    keepdims: Any = _NoValue,
    initial: Any = _NoValue,
    where: Any = _NoValue,
) -> ndarray:
    """Largest element; NaN if there is one. ValueError for no elements without `initial`."""
    return _core.max(_core.as_array(a), axis, None, out, _flag(keepdims), initial, where)


amin = min
amax = max


def any(
    a: ArrayLike,
    axis: AxisLike = None,
    out: ndarray | None = None,
    keepdims: Any = _NoValue,
    *,
    where: Any = _NoValue,
) -> ndarray:
    """Whether any element is non-zero."""
    return _core.any(_core.as_array(a), axis, None, out, _flag(keepdims), _NoValue, where)


def all(
    a: ArrayLike,
    axis: AxisLike = None,
    out: ndarray | None = None,
    keepdims: Any = _NoValue,
    *,
    where: Any = _NoValue,
) -> ndarray:
    """Whether all elements are non-zero."""
    return _core.all(_core.as_array(a), axis, None, out, _flag(keepdims), _NoValue, where)


def mean(
    a: ArrayLike,
    axis: AxisLike = None,
    dtype: DTypeLike = None,
    out: ndarray | None = None,
    keepdims: Any = _NoValue,
    *,
    where: Any = _NoValue,
) -> ndarray:
    """Arithmetic mean, in float64 for integers; NaN for no elements."""
    return _core.mean(_core.as_array(a), axis, dtype, out, _flag(keepdims), _NoValue, where)


def _correction(ddof: Any, correction: Any) -> float:
    if correction is _NoValue:
        return float(ddof)
    if ddof != 0:
        raise ValueError("ddof and correction can't be provided simultaneously.")
    return float(correction)


def _known_mean(mean: Any) -> ndarray | None:
    return None if mean is _NoValue else _core.as_array(mean)


def var(
    a: ArrayLike,
    axis: AxisLike = None,
    dtype: DTypeLike = None,
    out: ndarray | None = None,
    ddof: float = 0,
    keepdims: Any = _NoValue,
    *,
    where: Any = _NoValue,
    mean: Any = _NoValue,
    correction: Any = _NoValue,
) -> ndarray:
    """Variance: mean squared distance from the mean.

    Parameters
    ----------
    ddof, correction : number
        The squares are divided by their number less this.
    mean : array
        The mean, where it is known (computed with keepdims=True).
    """
    delta = _correction(ddof, correction)
    return _core.var(
        _core.as_array(a), axis, dtype, out, delta, _flag(keepdims), where, _known_mean(mean)
    )


def std(
    a: ArrayLike,
    axis: AxisLike = None,
    dtype: DTypeLike = None,
    out: ndarray | None = None,
    ddof: float = 0,
    keepdims: Any = _NoValue,
    *,
    where: Any = _NoValue,
    mean: Any = _NoValue,
    correction: Any = _NoValue,
) -> ndarray:
    """Standard deviation; parameters as of `var`."""
    delta = _correction(ddof, correction)
    return _core.std(
        _core.as_array(a), axis, dtype, out, delta, _flag(keepdims), where, _known_mean(mean)
    )


def count_nonzero(a: ArrayLike, axis: AxisLike = None, *, keepdims: bool = False) -> ndarray:
    """Number of elements that are not zero, int64."""
    return _core.count_nonzero(_core.as_array(a), axis, None, None, keepdims)


def argmin(
    a: ArrayLike, axis: int | None = None, out: ndarray | None = None, *, keepdims: Any = _NoValue
) -> ndarray:
    """Index of the first smallest element (NaN counts as smallest), int64."""
    return _core.argmin(_core.as_array(a), axis, out, _flag(keepdims))


def argmax(
    a: ArrayLike, axis: int | None = None, out: ndarray | None = None, *, keepdims: Any = _NoValue
) -> ndarray:
    """Index of the first largest element (NaN counts as largest), int64."""
    return _core.argmax(_core.as_array(a), axis, out, _flag(keepdims))


def cumsum(
    a: ArrayLike, axis: int | None = None, dtype: DTypeLike = None, out: ndarray | None = None
) -> ndarray:
    """Running sum along `axis`, or of the flattened array."""
    return _core.cumsum(_core.as_array(a), axis, dtype, out)


def cumprod(
    a: ArrayLike, axis: int | None = None, dtype: DTypeLike = None, out: ndarray | None = None
) -> ndarray:
    """Running product along `axis`, or of the flattened array."""
    return _core.cumprod(_core.as_array(a), axis, dtype, out)


def _cumulative(
    name: str, x: Any, axis: int | None, dtype: Any, out: Any, include_initial: bool
) -> ndarray:
    array = _core.as_array(x)
    if array.ndim != 1 and axis is None:
        raise ValueError(
            "For arrays which have more than one dimension ``axis`` argument is required."
        )
    if array.ndim == 0:
        array = _core.reshape(array, (1,))
    along = 0 if axis is None else axis
    running = getattr(_core, name)(array, along, dtype, None if include_initial else out)
    if not include_initial:
        return running
    shape = list(array.shape)
    shape[along] = 1
    start = _core.full(tuple(shape), 1 if name == "cumprod" else 0, running.dtype)
    return _core.concatenate([start, running], along, out)


def cumulative_sum(
    x: ArrayLike,
    /,
    *,
    axis: int | None = None,
    dtype: DTypeLike = None,
    out: ndarray | None = None,
    include_initial: bool = False,
) -> ndarray:
    """Running sum, with a leading zero if `include_initial`."""
    return _cumulative("cumsum", x, axis, dtype, out, include_initial)


def cumulative_prod(
    x: ArrayLike,
    /,
    *,
    axis: int | None = None,
    dtype: DTypeLike = None,
    out: ndarray | None = None,
    include_initial: bool = False,
) -> ndarray:
    """Running product, with a leading one if `include_initial`."""
    return _cumulative("cumprod", x, axis, dtype, out, include_initial)


def ptp(
    a: ArrayLike, axis: AxisLike = None, out: ndarray | None = None, keepdims: Any = _NoValue
) -> ndarray:
    """Largest less smallest element."""
    array = _core.as_array(a)
    keep = _flag(keepdims)
    high = _core.max(array, axis, None, None, keep)
    return _core._ufuncs["subtract"](high, _core.min(array, axis, None, None, keep), out=out)


def average(
    a: ArrayLike,
    axis: AxisLike = None,
    weights: ArrayLike | None = None,
    returned: bool = False,
    *,
    keepdims: Any = _NoValue,
) -> Any:
    """Weighted mean.

    Parameters
    ----------
    weights : array, optional
        Of a's shape, or one per element of `axis`.
    returned : bool
        Return (average, sum of weights).

    Raises
    ------
    ZeroDivisionError
        When the weights sum to zero.
    """
    array = _core.as_array(a)
    keep = _flag(keepdims)
    if weights is None:
        result = _core.mean(array, axis, None, None, keep)
        total = _core.full(result.shape, array.size / builtins.max(result.size, 1), result.dtype)
    else:
        scale = _matching_weights(array, _core.as_array(weights), axis)
        dtype = np.result_type(array.dtype, scale.dtype)
        if array.dtype.kind in "biu":
            dtype = np.result_type(dtype, np.float64)
        total = _core.sum(scale, axis, dtype, None, keep)
        if bool(_core.any(total == 0)):
            raise ZeroDivisionError("Weights sum to zero, can't be normalized")
        products = _core._ufuncs["multiply"](array, scale, dtype=dtype)
        result = _core.sum(products, axis, None, None, keep) / total
    if not returned:
        return result
    return result, _core.copy(_core.broadcast_to(total, result.shape))


def _matching_weights(array: ndarray, weights: ndarray, axis: AxisLike) -> ndarray:
    if weights.shape == array.shape:
        return weights
    if axis is None:
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    axes = (axis,) if not isinstance(axis, tuple) else axis
    normalized = [number % array.ndim for number in axes]
    if weights.shape != tuple(array.shape[number] for number in normalized):
        raise ValueError(
            "Shape of weights must be consistent with shape of a along specified axis."
        )
    ordered = _core.transpose(weights, [int(i) for i in np.argsort(normalized)])
    shape = tuple(n if i in normalized else 1 for i, n in enumerate(array.shape))
    return _core.broadcast_to(_core.reshape(ordered, shape), array.shape)


def diff(
    a: ArrayLike, n: int = 1, axis: int = -1, prepend: Any = _NoValue, append: Any = _NoValue
) -> ndarray:
    """Differences of neighbours along `axis`, `n` times over."""
    array = _core.as_array(a)
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n}")
    if n == 0:
        return array
    if array.ndim == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    array = _core.moveaxis(_extended(array, axis, prepend, append), axis, -1)
    name = "not_equal" if array.dtype == bool else "subtract"
    for _ in range(n):
        array = _core._ufuncs[name](array[..., 1:], array[..., :-1])
    return _core.moveaxis(array, -1, axis)


def _extended(array: ndarray, axis: int, prepend: Any, append: Any) -> ndarray:
    parts = []
    for value in (prepend, None, append):
        if value is None:
            parts.append(array)
        elif value is not _NoValue:
            part = _core.as_array(value, array.device)
            if part.ndim == 0:
                shape = list(array.shape)
                shape[axis] = 1
                part = _core.broadcast_to(part, tuple(shape))
            parts.append(part)
    return _core.concatenate(parts, axis) if len(parts) > 1 else array


def ediff1d(ary: ArrayLike, to_end: Any = None, to_begin: Any = None) -> ndarray:
    """Differences of neighbours of the flattened array, with what is to stand around them."""
    array = _core.ravel(_core.as_array(ary))
    parts = [_core._ufuncs["subtract"](array[1:], array[:-1])]
    for position, extra in ((0, to_begin), (len(parts) + 1, to_end)):
        if extra is None:
            continue
        part = _core.ravel(_core.as_array(extra, array.device))
        if not _core.can_cast(part.dtype, array.dtype, "same_kind"):
            raise TypeError(
                "dtype of `to_begin` and `to_end` must be compatible with input `ary` under the "
                f"`same_kind` rule, found {part.dtype} and {array.dtype}"
            )
        parts.insert(position, _core.astype(part, array.dtype))
    return _core.concatenate(parts)


def nansum(
    a: ArrayLike,
    axis: AxisLike = None,
    dtype: DTypeLike = None,
    out: ndarray | None = None,
    keepdims: Any = _NoValue,
    initial: Any = _NoValue,
    where: Any = _NoValue,
) -> ndarray:
    """`sum` with NaN as 0."""
    return _core.nansum(_core.as_array(a), axis, dtype, out, _flag(keepdims), initial, where)


def nanprod(
    a: ArrayLike,
    axis: AxisLike = None,
    dtype: DTypeLike = None,
    out: ndarray | None = None,
    keepdims: Any = _NoValue,
    initial: Any = _NoValue,
    where: Any = _NoValue,
) -> ndarray:
    """`prod` with NaN as 1."""
    return _core.nanprod(_core.as_array(a), axis, dtype, out, _flag(keepdims), initial, where)


def nanmin(
    a: ArrayLike,
    axis: AxisLike = None,
    out: ndarray | None = None,
    keepdims: Any = _NoValue,
    initial: Any = _NoValue,
    where: Any = _NoValue,
) -> ndarray:
    """`min` without NaN; NaN where there is nothing else."""
    return _core.nanmin(_core.as_array(a), axis, None, out, _flag(keepdims), initial, where)


def nanmax(
    a: ArrayLike,
    axis: AxisLike = None,
    out: ndarray | None = None,
    keepdims: Any = _NoValue,
    initial: Any = _NoValue,
    where: Any = _NoValue,
) -> ndarray:
    """`max` without NaN; NaN where there is nothing else."""
    return _core.nanmax(_core.as_array(a), axis, None, out, _flag(keepdims), initial, where)


def nanmean(
    a: ArrayLike,
    axis: AxisLike = None,
    dtype: DTypeLike = None,
    out: ndarray | None = None,
    keepdims: Any = _NoValue,
    *,
    where: Any = _NoValue,
) -> ndarray:
    """`mean` without NaN."""
    return _core.nanmean(_core.as_array(a), axis, dtype, out, _flag(keepdims), _NoValue, where)


def nanvar(
    a: ArrayLike,
    axis: AxisLike = None,
    dtype: DTypeLike = None,
    out: ndarray | None = None,
    ddof: float = 0,
    keepdims: Any = _NoValue,
    *,
    where: Any = _NoValue,
    mean: Any = _NoValue,
    correction: Any = _NoValue,
) -> ndarray:
    """`var` without NaN."""
    delta = _correction(ddof, correction)
    return _core.nanvar(_core.as_array(a), axis, dtype, out, delta, _flag(keepdims), where)


def nanstd(
    a: ArrayLike,
    axis: AxisLike = None,
    dtype: DTypeLike = None,
    out: ndarray | None = None,
    ddof: float = 0,
    keepdims: Any = _NoValue,
    *,
    where: Any = _NoValue,
    mean: Any = _NoValue,
    correction: Any = _NoValue,
) -> ndarray:
    """`std` without NaN."""
    delta = _correction(ddof, correction)
    return _core.nanstd(_core.as_array(a), axis, dtype, out, delta, _flag(keepdims), where)


def nanargmin(
    a: ArrayLike, axis: int | None = None, out: ndarray | None = None, *, keepdims: Any = _NoValue
) -> ndarray:
    """`argmin` without NaN; ValueError where there is nothing else."""
    return _core.nanargmin(_core.as_array(a), axis, out, _flag(keepdims))


def nanargmax(
    a: ArrayLike, axis: int | None = None, out: ndarray | None = None, *, keepdims: Any = _NoValue
) -> ndarray:
    """`argmax` without NaN; ValueError where there is nothing else."""
    return _core.nanargmax(_core.as_array(a), axis, out, _flag(keepdims))


def _without_nan(a: Any, replacement: int) -> ndarray:
    array = _core.as_array(a)
    if array.dtype.kind not in "fc" and array.dtype.name != "bfloat16":
        return array
    return _core.where(_core._ufuncs["isnan"](array), replacement, array)


def nancumsum(
    a: ArrayLike, axis: int | None = None, dtype: DTypeLike = None, out: ndarray | None = None
) -> ndarray:
    """`cumsum` with NaN as 0."""
    return _core.cumsum(_without_nan(a, 0), axis, dtype, out)


def nancumprod(
    a: ArrayLike, axis: int | None = None, dtype: DTypeLike = None, out: ndarray | None = None
) -> ndarray:
    """`cumprod` with NaN as 1."""
    return _core.cumprod(_without_nan(a, 1), axis, dtype, out)
