"""New arrays of one value, or whose elements are not set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import asarray, empty, ndarray, ones, zeros
from cupola._functions.arguments import place_for

if TYPE_CHECKING:
    from cupola._typing import ArrayLike, DeviceLike, DTypeLike, OrderLike, ShapeLike

__all__ = [
    "empty",
    "empty_like",
    "full",
    "full_like",
    "ones",
    "ones_like",
    "zeros",
    "zeros_like",
]


def element_of_none(dtype: DTypeLike) -> Any:
    """What None is as an element: NaN, or False. TypeError for integers."""
    kind = _core.dtype(dtype).kind
    if kind in "iu":
        int(None)  # type: ignore[call-overload]  # raises, as for an element
    return {"b": False, "c": complex(np.nan, np.nan)}.get(kind, np.nan)


def full(
    shape: ShapeLike,
    fill_value: Any,
    dtype: DTypeLike = None,
    order: OrderLike = "C",
    *,
    device: DeviceLike = None,
    like: Any = None,
) -> ndarray:
    """An array of one value, which may be an array that broadcasts to `shape`.

    Parameters
    ----------
    shape : int or sequence of ints
    fill_value : number or array_like
    dtype : optional
        Default: that of the value.
    order : {'C', 'F'}
    device : optional
        Default: that of `like`, else the current device.
    like : ndarray, optional

    Returns
    -------
    ndarray

    Raises
    ------
    TypeError
        For None without a dtype, and for text.
    ValueError
        For an array that does not broadcast to `shape`.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.full((2, 2), 7).tolist()
    [[7, 7], [7, 7]]
    """
    device = place_for(device, like)
    if fill_value is None and dtype is not None:
        fill_value = element_of_none(dtype)
    if fill_value is None or isinstance(fill_value, (str, bytes)):
        kind = type(fill_value).__name__
        raise TypeError(f"a fill_value of type {kind} is not supported; arrays hold numbers")
    if dtype is not None and isinstance(fill_value, (complex, np.complexfloating)):
        fill_value = asarray(fill_value, device=device)  # a lost imaginary part is warned of
    is_number = isinstance(fill_value, (int, float, complex))
    if not is_number and isinstance(fill_value, (ndarray, Sequence)):
        values = asarray(fill_value, device=device)
        result = empty(shape, values.dtype if dtype is None else dtype, order, device=device)
        _core.copyto(result, values, "unsafe")
        return result
    return _core.full(shape, fill_value, dtype, order, device)


def empty_like(
    prototype: ArrayLike,
    dtype: DTypeLike = None,
    order: OrderLike = "K",
    subok: bool = True,
    shape: ShapeLike | None = None,
    *,
    device: DeviceLike = None,
) -> ndarray:
    """An array like `prototype` whose elements are not set.

    Parameters
    ----------
    prototype : array_like
    dtype, order, subok, shape, device : optional
        Default: as `prototype` has them.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> import cupola as cp
    >>> cp.empty_like(cp.ones((2, 3)), dtype="int8").shape
    (2, 3)
    """
    like = _core.as_array(prototype)
    if shape is not None and order == "K":
        is_as_deep = isinstance(shape, Sequence) and len(shape) == like.ndim
        order = "F" if is_as_deep and like.flags.fnc else order
    return _core.empty_like(like, dtype, order, shape, device)


def full_like(
    a: ArrayLike,
    fill_value: Any,
    dtype: DTypeLike = None,
    order: OrderLike = "K",
    subok: bool = True,
    shape: ShapeLike | None = None,
    *,
    device: DeviceLike = None,
) -> ndarray:
    """An array like `a` of one value.

    Parameters
    ----------
    a : array_like
    fill_value : number or array_like
    dtype, order, subok, shape, device : optional
        Default: as `a` has them.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> import cupola as cp
    >>> cp.full_like(cp.ones(2), 3).tolist()
    [3.0, 3.0]
    """
    result = empty_like(a, dtype, order, subok, shape, device=device)
    if fill_value is None:
        fill_value = element_of_none(result.dtype)
    if type(fill_value) is int:
        result.fill(fill_value)
    else:
        _core.copyto(result, fill_value, "unsafe")
    return result


def zeros_like(
    a: ArrayLike,
    dtype: DTypeLike = None,
    order: OrderLike = "K",
    subok: bool = True,
    shape: ShapeLike | None = None,
    *,
    device: DeviceLike = None,
) -> ndarray:
    """An array like `a` of zeros.

    Parameters
    ----------
    a : array_like
    dtype, order, subok, shape, device : optional
        Default: as `a` has them.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> import cupola as cp
    >>> cp.zeros_like(cp.ones(2)).tolist()
    [0.0, 0.0]
    """
    return full_like(a, 0, dtype, order, subok, shape, device=device)


def ones_like(
    a: ArrayLike,
    dtype: DTypeLike = None,
    order: OrderLike = "K",
    subok: bool = True,
    shape: ShapeLike | None = None,
    *,
    device: DeviceLike = None,
) -> ndarray:
    """An array like `a` of ones.

    Parameters
    ----------
    a : array_like
    dtype, order, subok, shape, device : optional
        Default: as `a` has them.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> import cupola as cp
    >>> cp.ones_like(cp.zeros(2)).tolist()
    [1.0, 1.0]
    """
    return full_like(a, 1, dtype, order, subok, shape, device=device)
