"""Reductions and running sums that pass over NaN."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cupola import _cupola as _core
from cupola._cupola import (
    nanargmax,
    nanargmin,
    nanmax,
    nanmean,
    nanmin,
    nanprod,
    nanstd,
    nansum,
    nanvar,
    ndarray,
)

if TYPE_CHECKING:
    from cupola._typing import ArrayLike, DTypeLike

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


def nancumsum(
    a: ArrayLike, axis: int | None = None, dtype: DTypeLike = None, out: ndarray | None = None
) -> ndarray:
    """`cumsum` with NaN as 0.

    Parameters
    ----------
    a : array_like
    axis : int or None
    dtype : optional
    out : ndarray, optional

    Returns
    -------
    ndarray

    Examples
    --------
    >>> import cupola as cp
    >>> cp.nancumsum(cp.asarray([1.0, cp.nan, 3.0])).tolist()
    [1.0, 1.0, 4.0]
    """
    return _core.cumsum(_without_nan(a, 0), axis, dtype, out)


def nancumprod(
    a: ArrayLike, axis: int | None = None, dtype: DTypeLike = None, out: ndarray | None = None
) -> ndarray:
    """`cumprod` with NaN as 1.

    Parameters
    ----------
    a : array_like
    axis : int or None
    dtype : optional
    out : ndarray, optional

    Returns
    -------
    ndarray

    Examples
    --------
    >>> import cupola as cp
    >>> cp.nancumprod(cp.asarray([2.0, cp.nan, 3.0])).tolist()
    [2.0, 2.0, 6.0]
    """
    return _core.cumprod(_without_nan(a, 1), axis, dtype, out)


def _without_nan(a: Any, replacement: int) -> ndarray:
    array = _core.as_array(a)
    if array.dtype.kind not in "fc" and array.dtype.name != "bfloat16":
        return array
    return _core.where(_core._ufuncs["isnan"](array), replacement, array)
