"""Views with strides that the caller chooses, which never leave the memory of their array."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.arguments import axis_in, on_host
from cupola._functions.creation.arrays import asarray
from cupola._functions.manipulation.shapes import broadcast_arrays as broadcast_arrays
from cupola._functions.manipulation.shapes import broadcast_to as broadcast_to
from cupola._functions.mathematics.elementwise import broadcast_shapes as broadcast_shapes

if TYPE_CHECKING:
    from cupola._typing import ArrayLike

__all__ = [
    "as_strided",
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "sliding_window_view",
]


def as_strided(
    x: ArrayLike,
    shape: Sequence[int] | None = None,
    strides: Any = None,
    subok: bool = False,
    writeable: bool = True,
) -> ndarray:
    """A view from the first element of an array on, with any shape and strides.

    Parameters
    ----------
    x : array_like
    shape : sequence of int, optional
        Default: that of `x`.
    strides : sequence of int, optional
        Bytes, multiples of the item size; default: those of a row-major array of that shape where
        `x` is row-major, else those of `x`.
    subok : bool
        Has no effect.
    writeable : bool
        False: the view is read-only. So is a view whose elements share memory, since kernels write
        in no order.

    Returns
    -------
    ndarray
        A view of the memory of `x`; of what is no array, of the one that is made of it.

    Raises
    ------
    ValueError
        For a view that leaves the memory that the array lies in, and strides that do not fit.

    Examples
    --------
    >>> import cupola as cp
    >>> a = cp.arange(4)
    >>> cp.lib.stride_tricks.as_strided(a, (3, 2), (8, 8)).tolist()
    [[0, 1], [1, 2], [2, 3]]
    """
    array = asarray(x)
    extents = array.shape if shape is None else tuple(shape)
    itemsize = array.itemsize
    if strides is not None:
        steps = tuple(strides)
    elif array.flags.c_contiguous:
        steps = tuple(itemsize * math.prod(extents[axis + 1 :]) for axis in range(len(extents)))
    else:
        steps = array.strides
    if any(step % itemsize for step in steps):
        raise ValueError(f"strides must be multiples of the item size, {itemsize} bytes: {steps}")
    view = _core.strided_view(array, extents, tuple(step // itemsize for step in steps))
    return view if writeable else _read_only(view)


def _read_only(view: ndarray) -> ndarray:
    view = view[...]
    view._set_writable(False)
    return view


def sliding_window_view(
    x: ArrayLike,
    window_shape: Any,
    axis: Any = None,
    *,
    subok: bool = False,
    writeable: bool = False,
) -> ndarray:
    """All windows of a shape into an array, as a view.

    Parameters
    ----------
    x : array_like
    window_shape : int or sequence of int
        The extent of a window along each axis of `axis`.
    axis : int or sequence of int, optional
        Along which windows move, an axis also several times. Default: all.
    subok : bool
        Has no effect.
    writeable : bool
        Has no effect where windows overlap: such views are read-only.

    Returns
    -------
    ndarray
        The positions of the windows in the dimensions of `x`, then the dimensions of a window.

    Raises
    ------
    ValueError
        For windows that are longer than the array or negative, and not one extent for each axis.
    numpy.exceptions.AxisError
        For axes that are not there.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.lib.stride_tricks.sliding_window_view(cp.arange(5), 3).sum(1).tolist()
    [3, 6, 9]
    """
    array = asarray(x)
    extents = on_host(window_shape)
    extents = tuple(extents) if np.iterable(extents) else (extents,)
    if np.any(np.asarray(extents) < 0):
        raise ValueError("`window_shape` cannot contain negative values")
    axes = _window_axes(array.ndim, len(extents), axis)
    positions = list(array.shape)
    window: list[int] = []
    for moved, extent in zip(axes, extents, strict=True):
        if positions[moved] < extent:
            raise ValueError("window shape cannot be larger than input array shape")
        window.append(operator.index(extent))
        positions[moved] -= window[-1] - 1
    steps = [step // array.itemsize for step in array.strides]
    shape = (*positions, *window)
    view = _core.strided_view(array, shape, (*steps, *(steps[moved] for moved in axes)))
    return view if writeable else _read_only(view)


def _window_axes(ndim: int, count: int, axis: Any) -> list[int]:
    if axis is None:
        if count != ndim:
            raise ValueError(
                "Since axis is None, must provide window_shape for all dimensions of `x`; got "
                f"{count} window_shape elements and `x.ndim` is {ndim}."
            )
        return list(range(ndim))
    numbers = on_host(axis)
    numbers = tuple(numbers) if np.iterable(numbers) else (numbers,)
    axes = [axis_in(each, ndim) for each in numbers]
    if count != len(axes):
        raise ValueError(
            f"Must provide matching length window_shape and axis; got {count} window_shape "
            f"elements and {len(axes)} axes elements."
        )
    return axes
