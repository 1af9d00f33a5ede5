"""What numbers and arrays are: tests of elements, and of arrays as such."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.mathematics.elementwise import imag

if TYPE_CHECKING:
    from cupola._typing import ArrayLike

__all__ = [
    "iscomplex",
    "iscomplexobj",
    "isfortran",
    "isneginf",
    "isposinf",
    "isreal",
    "isrealobj",
    "isscalar",
]


_ufuncs = _core._ufuncs


def isposinf(x: ArrayLike, out: ndarray | None = None) -> ndarray:
    """Which elements are positive infinity.

    Parameters
    ----------
    x : array_like
    out : ndarray, optional

    Returns
    -------
    ndarray of bool

    Raises
    ------
    TypeError
        For complex numbers.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.isposinf(cp.asarray([-cp.inf, cp.inf])).tolist()
    [False, True]
    """
    array = _real_only(x, "isposinf")
    return _ufuncs["logical_and"](
        _ufuncs["isinf"](array), _ufuncs["logical_not"](_ufuncs["signbit"](array)), out=out
    )


def isneginf(x: ArrayLike, out: ndarray | None = None) -> ndarray:
    """Which elements are negative infinity.

    Parameters
    ----------
    x : array_like
    out : ndarray, optional

    Returns
    -------
    ndarray of bool

    Raises
    ------
    TypeError
        For complex numbers.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.isneginf(cp.asarray([-cp.inf, cp.inf])).tolist()
    [True, False]
    """
    array = _real_only(x, "isneginf")
    return _ufuncs["logical_and"](_ufuncs["isinf"](array), _ufuncs["signbit"](array), out=out)


def _real_only(x: Any, name: str) -> ndarray:
    array = _core.as_array(x)
    if array.dtype.kind == "c":
        raise TypeError(
            f"This operation is not supported for {array.dtype} values because it would be "
            f"ambiguous: {name}"
        )
    return array


def iscomplex(x: ArrayLike) -> ndarray:
    """Which elements have an imaginary part that is not zero.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    ndarray of bool

    Examples
    --------
    >>> import cupola as cp
    >>> cp.iscomplex(cp.asarray([1 + 1j, 2])).tolist()
    [True, False]
    """
    array = _core.as_array(x)
    if array.dtype.kind == "c":
        return array.imag != 0
    return _core.zeros(array.shape, bool, device=array.device)


def isreal(x: ArrayLike) -> ndarray:
    """Which elements have no imaginary part, or one of zero.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    ndarray of bool

    Examples
    --------
    >>> import cupola as cp
    >>> cp.isreal(cp.asarray([1 + 1j, 2])).tolist()
    [False, True]
    """
    return imag(x) == 0


def iscomplexobj(x: Any) -> bool:
    """Whether the dtype is complex.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    bool

    Examples
    --------
    >>> import cupola as cp
    >>> cp.iscomplexobj(cp.asarray([1j]))
    True
    """
    return x.dtype.kind == "c" if isinstance(x, ndarray) else bool(np.iscomplexobj(x))


def isrealobj(x: Any) -> bool:
    """Whether the dtype is not complex.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    bool

    Examples
    --------
    >>> import cupola as cp
    >>> cp.isrealobj(cp.asarray([1j]))
    False
    """
    return not iscomplexobj(x)


def isscalar(element: Any) -> bool:
    """Whether it is a number, not an array.

    Parameters
    ----------
    element : object

    Returns
    -------
    bool

    Examples
    --------
    >>> import cupola as cp
    >>> cp.isscalar(3), cp.isscalar(cp.asarray(3))
    (True, False)
    """
    return bool(np.isscalar(element))


def isfortran(a: ndarray) -> bool:
    """Whether the elements lie in Fortran order and not in C order.

    Parameters
    ----------
    a : ndarray

    Returns
    -------
    bool

    Examples
    --------
    >>> import cupola as cp
    >>> cp.isfortran(cp.ones((2, 3)).T)
    True
    """
    return a.flags.fnc
