"""Arrays that must be of a kind: with finite elements, with a layout."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.arguments import place_for
from cupola._functions.creation.arrays import asarray

if TYPE_CHECKING:
    from cupola._typing import DTypeLike, OrderLike

__all__ = ["asarray_chkfinite", "require"]

_REQUIREMENTS = {
    **dict.fromkeys(("C", "C_CONTIGUOUS", "CONTIGUOUS"), "C"),
    **dict.fromkeys(("F", "F_CONTIGUOUS", "FORTRAN"), "F"),
    **dict.fromkeys(("A", "ALIGNED"), "A"),
    **dict.fromkeys(("W", "WRITEABLE"), "W"),
    **dict.fromkeys(("O", "OWNDATA"), "O"),
    **dict.fromkeys(("E", "ENSUREARRAY"), "E"),
}


def asarray_chkfinite(a: Any, dtype: DTypeLike = None, order: OrderLike | None = None) -> ndarray:
    """`asarray` of finite elements.

    Parameters
    ----------
    a : array_like
    dtype : optional
        Default: that of `a`.
    order : {'C', 'F', 'A', 'K'}, optional

    Returns
    -------
    ndarray
        `a` itself where it has the dtype and order.

    Raises
    ------
    ValueError
        For NaN and infinities. That is looked at at once, which waits for the device.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.asarray_chkfinite([1, 2]).tolist()
    [1, 2]
    """
    result: ndarray = asarray(a, dtype, "K" if order is None else order)
    is_finite = _core._ufuncs["isfinite"]
    if result.dtype.kind not in "biu" and not bool(_core.all(is_finite(result))):
        raise ValueError("array must not contain infs or NaNs")
    return result


def require(
    a: Any, dtype: DTypeLike = None, requirements: Any = None, *, like: Any = None
) -> ndarray:
    """An array that meets requirements; `a` itself where it does, else a copy.

    Parameters
    ----------
    a : array_like
    dtype : optional
    requirements : str or sequence of str, optional
        'C_CONTIGUOUS' ('C'), 'F_CONTIGUOUS' ('F'), 'WRITEABLE' ('W'), 'OWNDATA' ('O'); 'ALIGNED'
        ('A') and 'ENSUREARRAY' ('E') hold of all arrays.
    like : ndarray, optional
        What comes from the host goes to its device.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        For both orders.
    KeyError
        For other requirements.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.require(cp.ones((2, 3)), requirements="F").flags.f_contiguous
    True
    """
    place_for(None, like)  # refuses what has no device
    wanted = {_REQUIREMENTS[each.upper()] for each in requirements or ()}
    if {"C", "F"} <= wanted:
        raise ValueError('Cannot specify both "C" and "F" order')
    order: Any = "F" if "F" in wanted else "C" if "C" in wanted else "A" if wanted else "K"
    result: ndarray = asarray(a, dtype, order, like=like)
    if any(not result.flags[each] for each in wanted & {"C", "F", "O", "W"}):
        result = _core.copy(result, order)
    return result
