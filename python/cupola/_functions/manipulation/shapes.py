"""Extents and dimensions; what NumPy returns as a view is a view here."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.exceptions import AxisError

from cupola import _cupola as _core
from cupola._cupola import diagonal, moveaxis, ndarray, ravel, reshape, swapaxes, transpose
from cupola._functions.arguments import arrays_of, axes_in, axis_in

if TYPE_CHECKING:
    from cupola._typing import ArrayLike, AxisLike, DTypeLike, ShapeLike

__all__ = [
    "astype",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast_arrays",
    "broadcast_to",
    "diagonal",
    "expand_dims",
    "matrix_transpose",
    "moveaxis",
    "ndim",
    "permute_dims",
    "ravel",
    "reshape",
    "rollaxis",
    "shape",
    "size",
    "squeeze",
    "swapaxes",
    "transpose",
]


def shape(a: ArrayLike) -> tuple[int, ...]:
    """The extents of an array.

    Parameters
    ----------
    a : array_like

    Returns
    -------
    tuple of ints

    Examples
    --------
    >>> import cupola as cp
    >>> cp.shape(cp.ones((2, 3)))
    (2, 3)
    """
    return a.shape if isinstance(a, ndarray) else np.shape(a)


def ndim(a: ArrayLike) -> int:
    """The number of dimensions.

    Parameters
    ----------
    a : array_like

    Returns
    -------
    int

    Examples
    --------
    >>> import cupola as cp
    >>> cp.ndim(cp.ones((2, 3)))
    2
    """
    return a.ndim if isinstance(a, ndarray) else np.ndim(a)


def size(a: ArrayLike, axis: AxisLike = None) -> int:
    """The number of elements, or that along one or several dimensions.

    Parameters
    ----------
    a : array_like
    axis : int or tuple of ints, optional
        None: all elements.

    Returns
    -------
    int

    Raises
    ------
    numpy.exceptions.AxisError
        For an axis that is not there.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.size([[1, 2], [3, 4]], axis=1)
    2
    """
    if axis is None:
        return a.size if isinstance(a, ndarray) else int(np.size(a))
    extents = shape(a)
    return math.prod(extents[each] for each in axes_in(axis, len(extents)))


permute_dims = transpose


def matrix_transpose(x: ArrayLike, /) -> ndarray:
    """View with the last two dimensions exchanged.

    Parameters
    ----------
    x : array_like
        Of two dimensions and more.

    Returns
    -------
    ndarray
        A view with the last two axes exchanged.

    Raises
    ------
    ValueError
        For fewer dimensions.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.matrix_transpose(cp.ones((2, 3, 4))).shape
    (2, 4, 3)
    """
    return _core.as_array(x).mT


def rollaxis(a: ArrayLike, axis: int, start: int = 0) -> ndarray:
    """View with dimension `axis` moved to before `start`.

    Parameters
    ----------
    a : array_like
    axis : int
        Which moves.
    start : int, optional
        Before which it comes.

    Returns
    -------
    ndarray
        A view.

    Raises
    ------
    numpy.exceptions.AxisError
        For an axis that is not there.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.rollaxis(cp.ones((2, 3, 4)), 2).shape
    (4, 2, 3)
    """
    array = _core.as_array(a)
    source = axis_in(axis, array.ndim)
    target = operator.index(start)
    if target < 0:
        target += array.ndim
    if not 0 <= target <= array.ndim:
        raise AxisError(f"'start' arg requires {-array.ndim} <= start < {array.ndim + 1}, {start}")
    return _core.moveaxis(array, source, target - 1 if source < target else target)


def squeeze(a: ArrayLike, axis: AxisLike = None) -> ndarray:
    """View without the dimensions of extent 1, or without those of `axis`.

    Parameters
    ----------
    a : array_like
    axis : int, tuple of ints or None
        None: all dimensions of extent 1.

    Returns
    -------
    ndarray
        A view.

    Raises
    ------
    ValueError
        For a dimension of another extent.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.squeeze(cp.ones((1, 3, 1))).shape
    (3,)
    """
    if axis in (0, -1) and not _core.as_array(a).ndim:
        axis = ()
    return _core.squeeze(a, axis)


def expand_dims(a: ArrayLike, axis: AxisLike) -> ndarray:
    """View with new dimensions of extent 1 at the positions `axis` of the result.

    Parameters
    ----------
    a : array_like
    axis : int or tuple of ints
        Where the new dimensions are in the result.

    Returns
    -------
    ndarray
        A view.

    Raises
    ------
    numpy.exceptions.AxisError
        For places that the result has not.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.expand_dims(cp.ones(3), (0, 2)).shape
    (1, 3, 1)
    """
    if not isinstance(axis, (tuple, list)):
        axis = operator.index(axis)  # type: ignore[arg-type]
    return _core.expand_dims(a, axis)


def broadcast_to(array: ArrayLike, shape: ShapeLike, subok: bool = False) -> ndarray:
    """Read-only view of `array` repeated to `shape`.

    Parameters
    ----------
    array : array_like
    shape : int or sequence of ints
    subok : bool
        Accepted; there are no subclasses.

    Returns
    -------
    ndarray
        A view that cannot be written to.

    Raises
    ------
    ValueError
        For a shape that does not fit.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.broadcast_to(cp.asarray([1, 2]), (2, 2)).tolist()
    [[1, 2], [1, 2]]
    """
    return _core.broadcast_to(array, shape)


def broadcast_arrays(*args: ArrayLike, subok: bool = False) -> tuple[ndarray, ...]:
    """Views of all arrays in their common shape.

    Parameters
    ----------
    *args : array_like
    subok : bool
        Accepted; there are no subclasses.

    Returns
    -------
    tuple of ndarrays
        Views that cannot be written to.

    Raises
    ------
    ValueError
        For shapes that do not fit.

    Examples
    --------
    >>> import cupola as cp
    >>> [each.shape for each in cp.broadcast_arrays(cp.ones((2, 1)), cp.ones(3))]
    [(2, 3), (2, 3)]
    """
    return _core.broadcast_arrays(arrays_of(args))


def astype(x: ndarray, dtype: DTypeLike, /, *, copy: bool = True, device: Any = None) -> ndarray:
    """`x` with another dtype.

    Parameters
    ----------
    x : ndarray
    dtype : dtype
    copy : bool
        False: `x` itself where it has the dtype.
    device : optional
        Where the result goes.

    Returns
    -------
    ndarray

    Raises
    ------
    TypeError
        For what is no array.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.astype(cp.asarray([1.7]), "int32").tolist()
    [1]
    """
    if not isinstance(x, (ndarray, np.generic)):
        raise TypeError(f"Input should be a cupola array. It is a {type(x).__name__}.")
    result = _core.astype(_core.as_array(x), dtype, "K", "unsafe", copy, True)
    return result if device is None else _core.to_device(result, device)


@overload
def atleast_1d(a: ArrayLike, /) -> ndarray: ...
@overload
def atleast_1d(*arys: ArrayLike) -> Any: ...
def atleast_1d(*arys: ArrayLike) -> Any:
    """Arrays with one dimension at least.

    Parameters
    ----------
    *arys : array_like

    Returns
    -------
    ndarray or tuple of ndarrays

    Raises
    ------
    TypeError
        For what has no elements of numbers.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.atleast_1d(3.0).shape
    (1,)
    """
    results = tuple(a if a.ndim else _core.reshape(a, (1,)) for a in map(_core.as_array, arys))
    return results[0] if len(results) == 1 else results


@overload
def atleast_2d(a: ArrayLike, /) -> ndarray: ...
@overload
def atleast_2d(*arys: ArrayLike) -> Any: ...
def atleast_2d(*arys: ArrayLike) -> Any:
    """Arrays with two dimensions at least; new ones come first.

    Parameters
    ----------
    *arys : array_like

    Returns
    -------
    ndarray or tuple of ndarrays

    Raises
    ------
    TypeError
        For what has no elements of numbers.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.atleast_2d([1, 2]).shape
    (1, 2)
    """
    results = tuple(to_2d(a) for a in map(_core.as_array, arys))
    return results[0] if len(results) == 1 else results


@overload
def atleast_3d(a: ArrayLike, /) -> ndarray: ...
@overload
def atleast_3d(*arys: ArrayLike) -> Any: ...
def atleast_3d(*arys: ArrayLike) -> Any:
    """Arrays with three dimensions at least, as numpy.atleast_3d places them.

    Parameters
    ----------
    *arys : array_like

    Returns
    -------
    ndarray or tuple of ndarrays

    Raises
    ------
    TypeError
        For what has no elements of numbers.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.atleast_3d([1, 2]).shape
    (1, 2, 1)
    """
    results = tuple(to_3d(a) for a in map(_core.as_array, arys))
    return results[0] if len(results) == 1 else results


def to_2d(array: ndarray) -> ndarray:
    return array if array.ndim >= 2 else _core.reshape(array, (1, array.size))


def to_3d(array: ndarray) -> ndarray:
    if array.ndim >= 3:
        return array
    new_axes = {0: (0, 1, 2), 1: (0, 2), 2: (2,)}[array.ndim]
    return _core.expand_dims(array, new_axes)
