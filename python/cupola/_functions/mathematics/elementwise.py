"""Functions over elements that are no ufuncs: rounding, parts, tests and comparisons."""

from __future__ import annotations

import builtins
import math
import operator
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.arguments import array_to_compare
from cupola._functions.creation.filled import zeros_like
from cupola._functions.dtypes import finfo

if TYPE_CHECKING:
    from cupola._typing import ArrayLike, OrderLike

__all__ = [
    "allclose",
    "angle",
    "around",
    "array_equal",
    "array_equiv",
    "broadcast_shapes",
    "fix",
    "imag",
    "isclose",
    "may_share_memory",
    "nan_to_num",
    "real",
    "real_if_close",
    "round",
    "shares_memory",
    "sinc",
]

_ufuncs = _core._ufuncs
broadcast_shapes = np.broadcast_shapes


def round(a: ArrayLike, decimals: int = 0, out: ndarray | None = None) -> ndarray:
    """Elements rounded to `decimals` places (before the point if negative), halves to even.

    Parameters
    ----------
    a : array_like
    decimals : int, optional
        Negative: tens, hundreds and so on.
    out : ndarray, optional

    Returns
    -------
    ndarray
        Halves go to the even neighbour.

    Raises
    ------
    ValueError
        For an `out` of another shape.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.round_([1.5, 2.5]).tolist()
    [2.0, 2.0]
    """
    array = _core.as_array(a)
    places = operator.index(decimals)
    divides = array.dtype.kind in "biu" and places < 0
    if divides and array.dtype.kind == "b":
        if out is None:
            raise TypeError("bool cannot be rounded before the point: the quotients are no bool")
        array = _core.astype(array, np.float64)
    result = _rounded(array, places)
    if out is None:
        return result
    if out.size != array.size:
        raise ValueError(f"invalid output shape: {out.shape} for {array.shape}")
    computed = np.dtype(np.float64) if divides else result.dtype
    if not _core.can_cast(computed, out.dtype, "same_kind"):
        raise TypeError(f"rounded elements of {computed} cannot be cast to {out.dtype}")
    _core.copyto(out, result, "unsafe")
    return out


around = round


def _rounded(array: ndarray, places: int) -> ndarray:
    kind = array.dtype.kind
    if kind == "c":
        result = _core.empty_like(array)
        result.real = _rounded(array.real, places)
        result.imag = _rounded(array.imag, places)
        return result
    if kind == "b":
        return _ufuncs["rint"](array)
    if kind in "iu" and places >= 0:
        return _core.copy(array, "K")
    if places == 0:
        return _ufuncs["rint"](array)
    scale = float(np.float64(10.0) ** builtins.min(abs(places), 400))  # infinite beyond all numbers
    order: OrderLike = "F" if array.flags.fnc else "C"
    if places > 0:
        return _ufuncs["divide"](_ufuncs["rint"](array * scale), scale, order=order)
    rounded = _ufuncs["multiply"](
        _ufuncs["rint"](_ufuncs["divide"](array, scale)), scale, order=order
    )
    return _core.astype(rounded, array.dtype) if kind in "iu" else rounded


def fix(x: ArrayLike, out: ndarray | None = None) -> ndarray:
    """Elements rounded towards zero.

    Parameters
    ----------
    x : array_like
    out : ndarray, optional

    Returns
    -------
    ndarray

    Examples
    --------
    >>> import cupola as cp
    >>> cp.fix(cp.asarray([1.7, -1.7])).tolist()
    [1.0, -1.0]
    """
    return _ufuncs["trunc"](_core.as_array(x), out=out)


def real(val: ArrayLike) -> ndarray:
    """The real part; a view.

    Parameters
    ----------
    val : array_like

    Returns
    -------
    ndarray
        A view of complex numbers, else the array itself.

    Raises
    ------
    TypeError
        For what has no elements of numbers.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.real([1 + 2j]).tolist()
    [1.0]
    """
    return _core.as_array(val).real


def imag(val: ArrayLike) -> ndarray:
    """The imaginary part; a view of complex arrays.

    Parameters
    ----------
    val : array_like

    Returns
    -------
    ndarray
        A view where `val` is complex.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.imag(cp.asarray([1 + 2j])).tolist()
    [2.0]
    """
    array = _core.as_array(val)
    return array.imag if array.dtype.kind == "c" else zeros_like(array, order="A")


def angle(z: ArrayLike, deg: bool = False) -> ndarray:
    """The angle of complex numbers, in (-pi, pi] or degrees.

    Parameters
    ----------
    z : array_like
    deg : bool, optional
        Degrees in place of radians.

    Returns
    -------
    ndarray

    Raises
    ------
    TypeError
        For dtypes that have no angle.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.angle([1j], deg=True).tolist()
    [90.0]
    """
    array = _core.as_array(z)
    if array.dtype.kind == "c":
        result = _ufuncs["arctan2"](array.imag, array.real)
    else:
        result = _ufuncs["arctan2"](0, array)
    return result * (180 / np.pi) if deg else result


def isclose(
    a: ArrayLike, b: ArrayLike, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False
) -> ndarray:
    """Where |a - b| <= atol + rtol * |b|; equal infinities are close, NaN if `equal_nan`.

    Parameters
    ----------
    a, b : array_like
        They broadcast.
    rtol, atol : float, optional
        Allowed is atol + rtol * |b|.
    equal_nan : bool, optional

    Returns
    -------
    ndarray
        Of bool.

    Raises
    ------
    ValueError
        For shapes that do not broadcast.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.isclose([1.0, 2.0], [1.0, 2.1]).tolist()
    [True, False]
    """
    x, y, rtol, atol = (  # Python's numbers take the types of arrays
        each if isinstance(each, (int, float, complex)) else _core.as_array(each)
        for each in (a, b, rtol, atol)
    )
    for each in (rtol, atol):
        if isinstance(each, (int, float)) and not math.isfinite(each):
            warnings.warn("One of rtol or atol is not valid", RuntimeWarning, stacklevel=2)
    if isinstance(y, int):
        y = float(y)
    elif isinstance(y, ndarray) and y.dtype.kind in "biu":
        y = _core.astype(y, np.result_type(y.dtype, 1.0))
    distance = _ufuncs["absolute"](_ufuncs["subtract"](x, y))
    near = _ufuncs["less_equal"](distance, atol + rtol * abs(y))
    result = (near & _ufuncs["isfinite"](y)) | _ufuncs["equal"](x, y)
    if equal_nan:
        result |= _ufuncs["isnan"](x) & _ufuncs["isnan"](y)
    return result


def allclose(
    a: ArrayLike, b: ArrayLike, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False
) -> bool:
    """Whether `isclose` holds everywhere.

    Parameters
    ----------
    a, b : array_like
        They broadcast.
    rtol, atol : float, optional
        Allowed is atol + rtol * |b|.
    equal_nan : bool, optional

    Returns
    -------
    bool
        It is needed: the call waits.

    Raises
    ------
    ValueError
        For shapes that do not broadcast.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.allclose([1.0, 2.0], [1.0, 2.0 + 1e-9])
    True
    """
    return bool(_core.all(isclose(a, b, rtol, atol, equal_nan)))


def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> bool:
    """Whether two arrays have the same shape and equal elements.

    Parameters
    ----------
    a1, a2 : array_like
    equal_nan : bool
        Whether NaN are equal.

    Returns
    -------
    bool
        Read from the device.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.array_equal(cp.asarray([1, 2]), [1, 2])
    True
    """
    try:
        x, y = array_to_compare(a1), array_to_compare(a2)
    except (TypeError, ValueError):
        return False
    if x.shape != y.shape:
        return False
    equal = x == y
    if equal_nan:
        equal |= (x != x) & (y != y)
    return bool(_core.all(equal))


def array_equiv(a1: Any, a2: Any) -> bool:
    """Whether two arrays broadcast to the same shape and have equal elements there.

    Parameters
    ----------
    a1, a2 : array_like

    Returns
    -------
    bool
        Read from the device.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.array_equiv(cp.asarray([1, 1]), 1)
    True
    """
    try:
        return bool(_core.all(array_to_compare(a1) == array_to_compare(a2)))
    except (TypeError, ValueError):
        return False


def nan_to_num(
    x: ArrayLike,
    copy: bool = True,
    nan: float = 0.0,
    posinf: float | None = None,
    neginf: float | None = None,
) -> ndarray:
    """NaN and infinities replaced (infinities by the largest finite numbers).

    Parameters
    ----------
    x : array_like
    copy : bool, optional
        False: in place.
    nan, posinf, neginf : number, optional
        What stands for each; the largest finite numbers for infinities.

    Returns
    -------
    ndarray

    Raises
    ------
    TypeError
        For dtypes without floating numbers that are written in place.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.nan_to_num([cp.nan, 1.0]).tolist()
    [0.0, 1.0]
    """
    array = _core.as_array(x)
    if not copy and not isinstance(x, ndarray):
        raise ValueError("nan_to_num: what is no array cannot be changed in place: copy=True")
    result = _core.copy(array, "K") if copy else array
    if result.dtype.kind == "c":
        for part in (result.real, result.imag):
            nan_to_num(part, False, nan, posinf, neginf)
        return result
    if result.dtype.kind in "biu":
        return result
    limits = finfo(result.dtype)
    high = float(limits.max) if posinf is None else posinf
    low = float(limits.min) if neginf is None else neginf
    infinite, negative = _ufuncs["isinf"](result), _ufuncs["signbit"](result)
    _core.copyto(result, nan, "same_kind", _ufuncs["isnan"](result))
    _core.copyto(result, high, "same_kind", infinite & ~negative)
    _core.copyto(result, low, "same_kind", infinite & negative)
    return result


def real_if_close(a: ArrayLike, tol: float = 100) -> ndarray:
    """The real part where all imaginary parts are zero within `tol` units of the last place.

    Parameters
    ----------
    a : array_like
    tol : number
        In multiples of the precision; at most 1: as it is.

    Returns
    -------
    ndarray
        Whether it is real is read from the device.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.real_if_close(cp.asarray([1 + 1e-20j])).tolist()
    [1.0]
    """
    array = _core.as_array(a)
    if array.dtype.kind != "c":
        return array
    limit = tol * np.finfo(array.dtype).eps if tol > 1 else tol
    return array.real if bool(_core.all(_ufuncs["absolute"](array.imag) < limit)) else array


def sinc(x: ArrayLike) -> ndarray:
    """sin(pi x) / (pi x), 1 at 0.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    ndarray

    Examples
    --------
    >>> import cupola as cp
    >>> float(cp.sinc(cp.asarray(0.0)))
    1.0
    """
    array = np.pi * _core.as_array(x)
    small = 1.0e-20 if array.dtype.kind == "c" else finfo(array.dtype).eps
    y = _core.where(array == 0, float(small), array)
    return _ufuncs["sin"](y) / y


def may_share_memory(a: Any, b: Any, max_work: int | None = None) -> bool:
    """Whether the memory from the first to the last element of two arrays overlaps.

    With `max_work`, as `shares_memory`.

    Parameters
    ----------
    a, b : ndarray or numpy.ndarray
    max_work : int, optional
        The most candidates to look at; default: only the bounds count.

    Returns
    -------
    bool

    Examples
    --------
    >>> import cupola as cp
    >>> a = cp.arange(4)
    >>> cp.may_share_memory(a, a[2:])
    True
    """
    if not (isinstance(a, ndarray) and isinstance(b, ndarray)):
        hosts = [np.asarray(x) for x in (a, b) if not isinstance(x, ndarray)]
        if len(hosts) < 2:
            return False
        return np.may_share_memory(hosts[0], hosts[1], max_work)  # type: ignore[arg-type]
    overlap = _core.may_share_memory(a, b)
    return overlap if not max_work or not overlap else shares_memory(a, b, max_work)


def shares_memory(a: Any, b: Any, max_work: int | None = None) -> bool:
    """Whether an element of one array has a byte in common with an element of the other.

    Parameters
    ----------
    a, b : ndarray or numpy.ndarray
    max_work : int, optional
        The most candidates to look at; default: as many as it takes.

    Returns
    -------
    bool

    Raises
    ------
    numpy.exceptions.TooHardError
        Where that is not enough.

    Examples
    --------
    >>> import cupola as cp
    >>> x = cp.arange(8)
    >>> cp.shares_memory(x[::2], x[1::2]), cp.shares_memory(x[::2], x[2:4])
    (False, True)
    """
    if not may_share_memory(a, b):
        return False
    one, other = (np.asarray(_Addresses(x) if isinstance(x, ndarray) else x) for x in (a, b))
    return bool(np.shares_memory(one, other, -1 if max_work is None else max_work))  # type: ignore[arg-type]


class _Addresses:
    """Where the elements of an array lie; NumPy compares that without a look at them."""

    def __init__(self, array: ndarray) -> None:
        self.__array_interface__ = {
            "version": 3,
            "shape": array.shape,
            "strides": array.strides,
            "typestr": f"|V{array.itemsize}",
            "data": (array.data.ptr, True),
        }
