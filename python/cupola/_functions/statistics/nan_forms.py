"""Reductions and running sums that pass over NaN."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.arguments import NoValue

if TYPE_CHECKING:
    from cupola._typing import ArrayLike, AxisLike, DTypeLike

__all__ = [
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
]


def nansum(
    a: ArrayLike,
    axis: AxisLike = None,
    dtype: DTypeLike = None,
    out: ndarray | None = None,
    keepdims: Any = NoValue,
    initial: Any = NoValue,
    where: Any = NoValue,
) -> ndarray:
    """`sum` with NaN as 0."""
    return _core.nansum(a, axis, dtype, out, keepdims, initial, where)


def nanprod(
    a: ArrayLike,
    axis: AxisLike = None,
    dtype: DTypeLike = None,
    out: ndarray | None = None,
    keepdims: Any = NoValue,
    initial: Any = NoValue,
    where: Any = NoValue,
) -> ndarray:
    """`prod` with NaN as 1."""
    return _core.nanprod(a, axis, dtype, out, keepdims, initial, where)


def nanmin(
    a: ArrayLike,
    axis: AxisLike = None,
    out: ndarray | None = None,
    keepdims: Any = NoValue,
    initial: Any = NoValue,
    where: Any = NoValue,
) -> ndarray:
    """`min` without NaN; NaN where there is nothing else."""
    return _core.nanmin(a, axis, None, out, keepdims, initial, where)


def nanmax(
    a: ArrayLike,
    axis: AxisLike = None,
    out: ndarray | None = None,
    keepdims: Any = NoValue,
    initial: Any = NoValue,
    where: Any = NoValue,
) -> ndarray:
    """`max` without NaN; NaN where there is nothing else."""
    return _core.nanmax(a, axis, None, out, keepdims, initial, where)


def nanmean(
    a: ArrayLike,
    axis: AxisLike = None,
    dtype: DTypeLike = None,
    out: ndarray | None = None,
    keepdims: Any = NoValue,
    *,
    where: Any = NoValue,
) -> ndarray:
    """`mean` without NaN."""
    return _core.nanmean(a, axis, dtype, out, keepdims, NoValue, where)


def nanvar(
    a: ArrayLike,
    axis: AxisLike = None,
    dtype: DTypeLike = None,
    out: ndarray | None = None,
    ddof: float = 0,
    keepdims: Any = NoValue,
    *,
    where: Any = NoValue,
    mean: Any = NoValue,
    correction: Any = NoValue,
) -> ndarray:
    """`var` without NaN."""
    return _core.nanvar(a, axis, dtype, out, ddof, keepdims, where, mean, correction)


def nanstd(
    a: ArrayLike,
    axis: AxisLike = None,
    dtype: DTypeLike = None,
    out: ndarray | None = None,
    ddof: float = 0,
    keepdims: Any = NoValue,
    *,
    where: Any = NoValue,
    mean: Any = NoValue,
    correction: Any = NoValue,
) -> ndarray:
    """`std` without NaN."""
    return _core.nanstd(a, axis, dtype, out, ddof, keepdims, where, mean, correction)


def nanargmin(
    a: ArrayLike, axis: int | None = None, out: ndarray | None = None, *, keepdims: Any = NoValue
) -> ndarray:
    """`argmin` without NaN; ValueError where there is nothing else."""
    return _core.nanargmin(a, axis, out, keepdims)


def nanargmax(
    a: ArrayLike, axis: int | None = None, out: ndarray | None = None, *, keepdims: Any = NoValue
) -> ndarray:
    """`argmax` without NaN; ValueError where there is nothing else."""
    return _core.nanargmax(a, axis, out, keepdims)


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


def _without_nan(a: Any, replacement: int) -> ndarray:
    array = _core.as_array(a)
    if array.dtype.kind not in "fc" and array.dtype.name != "bfloat16":
        return array
    return _core.where(_core._ufuncs["isnan"](array), replacement, array)
