"""`cupola.emath`: roots, logarithms and powers that are complex where no real number is.

The dtype depends on the elements, so each function waits for a look at them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray

if TYPE_CHECKING:
    from cupola._typing import ArrayLike

__all__ = ["arccos", "arcsin", "arctanh", "log", "log2", "log10", "logn", "power", "sqrt"]

_SMALL = ("float32", "int8", "int16", "uint8", "uint16")
"""Dtypes whose complex counterpart is complex64."""


def _complex_where(array: ndarray, outside: Callable[[ndarray], Any]) -> ndarray:
    """The array, as complex numbers where an element lies outside the real domain."""
    if array.dtype.kind == "c" or not bool(_core.any(outside(array))):
        return array
    return _core.astype(array, np.complex64 if array.dtype.name in _SMALL else np.complex128)


def _with_negatives(x: ArrayLike) -> ndarray:
    return _complex_where(_core.as_array(x), lambda array: array < 0)


def _with_beyond_one(x: ArrayLike) -> ndarray:
    return _complex_where(_core.as_array(x), lambda array: abs(array) > 1)


def sqrt(x: ArrayLike) -> ndarray:
    """Square root; of negative numbers imaginary ones.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    ndarray
        Of the shape of `x`; complex where an element is negative, else real.
        That is looked at, which waits for the device.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.emath.sqrt(cp.asarray([4, -1])).round(6).tolist()
    [(2+0j), 1j]
    """
    return _core._ufuncs["sqrt"](_with_negatives(x))


def log(x: ArrayLike) -> ndarray:
    """Natural logarithm; complex where an element is negative.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    ndarray
        Of the shape of `x`; complex where an element is negative, else real.
        That is looked at, which waits for the device.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.emath.log(cp.asarray([1.0, -1.0])).round(6).tolist()
    [0j, 3.141593j]
    """
    return _core._ufuncs["log"](_with_negatives(x))


def log10(x: ArrayLike) -> ndarray:
    """Logarithm to base 10; complex where an element is negative.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    ndarray
        Of the shape of `x`; complex where an element is negative, else real.
        That is looked at, which waits for the device.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.emath.log10(cp.asarray([-100.0])).round(6).tolist()
    [(2+1.364376j)]
    """
    return _core._ufuncs["log10"](_with_negatives(x))


def log2(x: ArrayLike) -> ndarray:
    """Logarithm to base 2; complex where an element is negative.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    ndarray
        Of the shape of `x`; complex where an element is negative, else real.
        That is looked at, which waits for the device.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.emath.log2(cp.asarray([8.0, 2.0])).round(6).tolist()
    [3.0, 1.0]
    """
    return _core._ufuncs["log2"](_with_negatives(x))


def logn(n: ArrayLike, x: ArrayLike) -> ndarray:
    """Logarithm to base `n`; complex where the base or an element is negative.

    Parameters
    ----------
    n : array_like
        The base.
    x : array_like
        They broadcast.

    Returns
    -------
    ndarray
        Of the broadcast shape; complex where an element or the base is negative, else real.
        That is looked at, which waits for the device.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.emath.logn(2, cp.asarray([4.0, 8.0])).round(6).tolist()
    [2.0, 3.0]
    """
    logarithm = _core._ufuncs["log"]
    return logarithm(_with_negatives(x)) / logarithm(_with_negatives(n))


def power(x: ArrayLike, p: ArrayLike) -> ndarray:
    """`x` to the power `p`; complex where an element of `x` is negative.

    Negative whole powers are taken of floating-point numbers.

    Parameters
    ----------
    x, p : array_like
        They broadcast.

    Returns
    -------
    ndarray
        Of the broadcast shape; complex where an element of `x` is negative, else real.
        That is looked at, which waits for the device.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.emath.power(cp.asarray([2, 4]), -2).round(9).tolist()
    [0.25, 0.0625]
    """
    exponents = _core.as_array(p)
    if exponents.dtype.kind != "c" and bool(_core.any(exponents < 0)):
        exponents = exponents * 1.0
    return _core._ufuncs["power"](_with_negatives(x), exponents)


def arccos(x: ArrayLike) -> ndarray:
    """Inverse cosine; complex where an element lies outside [-1, 1].

    Parameters
    ----------
    x : array_like

    Returns
    -------
    ndarray
        Of the shape of `x`; complex where an element lies outside [-1, 1], else real.
        That is looked at, which waits for the device.

    Examples
    --------
    >>> import cupola as cp
    >>> abs(cp.emath.arccos(cp.asarray([1.0, 2.0]))).round(6).tolist()
    [0.0, 1.316958]
    """
    return _core._ufuncs["arccos"](_with_beyond_one(x))


def arcsin(x: ArrayLike) -> ndarray:
    """Inverse sine; complex where an element lies outside [-1, 1].

    Parameters
    ----------
    x : array_like

    Returns
    -------
    ndarray
        Of the shape of `x`; complex where an element lies outside [-1, 1], else real.
        That is looked at, which waits for the device.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.emath.arcsin(cp.asarray([0.0, 2.0])).round(6).tolist()
    [0j, (1.570796+1.316958j)]
    """
    return _core._ufuncs["arcsin"](_with_beyond_one(x))


def arctanh(x: ArrayLike) -> ndarray:
    """Inverse hyperbolic tangent; complex where an element lies outside [-1, 1].

    Parameters
    ----------
    x : array_like

    Returns
    -------
    ndarray
        Of the shape of `x`; complex where an element lies outside [-1, 1], else real.
        That is looked at, which waits for the device.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.emath.arctanh(cp.asarray([0.0, 2.0])).round(6).tolist()
    [0j, (0.549306+1.570796j)]
    """
    return _core._ufuncs["arctanh"](_with_beyond_one(x))
