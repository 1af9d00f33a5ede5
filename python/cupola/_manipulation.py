"""Shapes and arrangement: what NumPy returns as a view is a view here."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.exceptions import AxisError

from cupola import _cupola as _core
from cupola._cupola import ndarray

if TYPE_CHECKING:
    from cupola._typing import ArrayLike, AxisLike, CastingLike, DTypeLike, OrderLike, ShapeLike

__all__ = [
    "append",
    "array_split",
    "astype",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast_arrays",
    "broadcast_to",
    "column_stack",
    "concat",
    "concatenate",
    "delete",
    "diagonal",
    "dsplit",
    "dstack",
    "expand_dims",
    "flip",
    "fliplr",
    "flipud",
    "hsplit",
    "hstack",
    "insert",
    "matrix_transpose",
    "moveaxis",
    "ndim",
    "permute_dims",
    "ravel",
    "repeat",
    "reshape",
    "resize",
    "roll",
    "rollaxis",
    "rot90",
    "shape",
    "size",
    "split",
    "squeeze",
    "stack",
    "swapaxes",
    "tile",
    "transpose",
    "trim_zeros",
    "unstack",
    "vsplit",
    "vstack",
]


def _arrays(sequence: Any, name: str = "arrays") -> list[ndarray]:
    """The arrays to join: a sequence, or an array whose first dimension counts them."""
    if isinstance(sequence, ndarray):
        return list(sequence)
    if not isinstance(sequence, Sequence):
        raise TypeError(
            f'{name} to join must be passed as a "sequence" type such as list or tuple, '
            f"not {type(sequence).__name__}"
        )
    device = next((item.device for item in sequence if isinstance(item, ndarray)), None)
    return [_as_operand(item, device) for item in sequence]


def _as_operand(item: Any, device: Any) -> ndarray:
    if isinstance(item, np.ndarray) and item.ndim:
        raise TypeError("cupola.asarray must copy a numpy.ndarray to a device before it is used")
    return _core.as_array(item, device)


def _axis_in(axis: int, ndim: int) -> int:
    number = axis.__index__()
    if not -ndim <= number < ndim:
        raise AxisError(number, ndim)
    return number % ndim


def shape(a: ArrayLike) -> tuple[int, ...]:
    """The extents of an array."""
    return a.shape if isinstance(a, ndarray) else np.shape(a)


def ndim(a: ArrayLike) -> int:
    """The number of dimensions."""
    return a.ndim if isinstance(a, ndarray) else np.ndim(a)


def size(a: ArrayLike, axis: int | None = None) -> int:
    """The number of elements, or the extent of one dimension."""
    if axis is None:
        return a.size if isinstance(a, ndarray) else int(np.size(a))
    extents = shape(a)
    return extents[_axis_in(axis, len(extents))]


def reshape(
    a: ArrayLike, /, shape: ShapeLike, order: OrderLike = "C", *, copy: bool | None = None
) -> ndarray:
    """The elements of `a` in another shape; a view where possible.

    Parameters
    ----------
    shape : int or tuple of ints
        One extent may be -1: what is left.
    order : {'C', 'F', 'A'}
    copy : bool or None
        True: always copy. False: ValueError where a copy is needed.
    """
    return _core.reshape(_core.as_array(a), shape, order, copy)


def ravel(a: ArrayLike, order: OrderLike = "C") -> ndarray:
    """The elements in one dimension; a view where possible."""
    return _core.ravel(_core.as_array(a), order)


def transpose(a: ArrayLike, axes: AxisLike = None) -> ndarray:
    """View with the dimensions in the order `axes` (default: reversed)."""
    return _core.transpose(_core.as_array(a), axes)


permute_dims = transpose


def matrix_transpose(x: ArrayLike, /) -> ndarray:
    """View with the last two dimensions exchanged."""
    return _core.as_array(x).mT


def moveaxis(a: ArrayLike, source: AxisLike, destination: AxisLike) -> ndarray:
    """View with some dimensions moved to new positions, the rest in their order."""
    return _core.moveaxis(_core.as_array(a), source, destination)


def rollaxis(a: ArrayLike, axis: int, start: int = 0) -> ndarray:
    """View with dimension `axis` moved to before `start`."""
    array = _core.as_array(a)
    source = _axis_in(axis, array.ndim)
    target = start.__index__()
    if target < 0:
        target += array.ndim
    if not 0 <= target <= array.ndim:
        raise AxisError(f"'start' arg requires {-array.ndim} <= start < {array.ndim + 1}, {start}")
    return _core.moveaxis(array, source, target - 1 if source < target else target)


def swapaxes(a: ArrayLike, axis1: int, axis2: int) -> ndarray:
    """View with two dimensions exchanged."""
    return _core.swapaxes(_core.as_array(a), axis1, axis2)


def squeeze(a: ArrayLike, axis: AxisLike = None) -> ndarray:
    """View without the dimensions of extent 1, or without those of `axis`."""
    return _core.squeeze(_core.as_array(a), axis)


def expand_dims(a: ArrayLike, axis: AxisLike) -> ndarray:
    """View with new dimensions of extent 1 at the positions `axis` of the result."""
    return _core.expand_dims(_core.as_array(a), axis)


def broadcast_to(array: ArrayLike, shape: ShapeLike, subok: bool = False) -> ndarray:
    """Read-only view of `array` repeated to `shape`."""
    return _core.broadcast_to(_core.as_array(array), shape)


def broadcast_arrays(*args: ArrayLike, subok: bool = False) -> tuple[ndarray, ...]:
    """Views of all arrays in their common shape."""
    return _core.broadcast_arrays(_arrays(args))


def astype(x: ndarray, dtype: DTypeLike, /, *, copy: bool = True, device: Any = None) -> ndarray:
    """`x` with another dtype."""
    if not isinstance(x, ndarray):
        raise TypeError(f"Input should be a cupola array. It is a {type(x).__name__}.")
    result = _core.astype(x, dtype, "K", "unsafe", copy)
    return result if device is None else _core.to_device(result, device)


def diagonal(a: ArrayLike, offset: int = 0, axis1: int = 0, axis2: int = 1) -> ndarray:
    """View of the diagonals of two dimensions, as the last dimension."""
    return _core.diagonal(_core.as_array(a), offset, axis1, axis2)


def atleast_1d(*arys: ArrayLike) -> Any:
    """Arrays with one dimension at least."""
    results = tuple(a if a.ndim else _core.reshape(a, (1,)) for a in map(_core.as_array, arys))
    return results[0] if len(results) == 1 else results


def _to_2d(array: ndarray) -> ndarray:
    return array if array.ndim >= 2 else _core.reshape(array, (1, array.size))


def atleast_2d(*arys: ArrayLike) -> Any:
    """Arrays with two dimensions at least; new ones come first."""
    results = tuple(_to_2d(a) for a in map(_core.as_array, arys))
    return results[0] if len(results) == 1 else results


def _to_3d(array: ndarray) -> ndarray:
    if array.ndim >= 3:
        return array
    new_axes = {0: (0, 1, 2), 1: (0, 2), 2: (2,)}[array.ndim]
    return _core.expand_dims(array, new_axes)


def atleast_3d(*arys: ArrayLike) -> Any:
    """Arrays with three dimensions at least, as numpy.atleast_3d places them."""
    results = tuple(_to_3d(a) for a in map(_core.as_array, arys))
    return results[0] if len(results) == 1 else results


def concatenate(
    arrays: Any,
    /,
    axis: int | None = 0,
    out: ndarray | None = None,
    *,
    dtype: DTypeLike = None,
    casting: CastingLike = "same_kind",
) -> ndarray:
    """Join arrays along an existing dimension.

    Parameters
    ----------
    arrays : sequence of arrays
        Of equal shapes but for `axis`.
    axis : int or None
        None: the flattened arrays.

    Raises
    ------
    ValueError
        For no arrays, or shapes that do not fit.
    """
    return _core.concatenate(_arrays(arrays), axis, out, dtype, casting)


concat = concatenate


def stack(
    arrays: Any,
    axis: int = 0,
    out: ndarray | None = None,
    *,
    dtype: DTypeLike = None,
    casting: CastingLike = "same_kind",
) -> ndarray:
    """Join arrays of one shape along a new dimension."""
    return _core.stack(_arrays(arrays), axis, out, dtype, casting)


def unstack(x: ArrayLike, /, *, axis: int = 0) -> tuple[ndarray, ...]:
    """The arrays of one dimension less along `axis`."""
    array = _core.as_array(x)
    if array.ndim == 0:
        raise ValueError("Input array must be at least 1-d.")
    return tuple(_core.moveaxis(array, axis, 0))


def vstack(tup: Any, *, dtype: DTypeLike = None, casting: CastingLike = "same_kind") -> ndarray:
    """Join along the first dimension, after atleast_2d."""
    parts = [_to_2d(array) for array in _arrays(tup)]
    return _core.concatenate(parts, 0, None, dtype, casting)


def hstack(tup: Any, *, dtype: DTypeLike = None, casting: CastingLike = "same_kind") -> ndarray:
    """Join along the second dimension (vectors: the first)."""
    parts = [array if array.ndim else _core.reshape(array, (1,)) for array in _arrays(tup)]
    axis = 0 if parts and parts[0].ndim == 1 else 1
    return _core.concatenate(parts, axis, None, dtype, casting)


def dstack(tup: Any) -> ndarray:
    """Join along the third dimension, after atleast_3d."""
    return _core.concatenate([_to_3d(array) for array in _arrays(tup)], 2)


def column_stack(tup: Any) -> ndarray:
    """Join along the second dimension; vectors are columns."""
    parts = [
        array if array.ndim >= 2 else _core.reshape(array, (array.size, 1))
        for array in _arrays(tup)
    ]
    return _core.concatenate(parts, 1)


def append(arr: ArrayLike, values: ArrayLike, axis: int | None = None) -> ndarray:
    """`arr` followed by `values`."""
    return _core.concatenate(_arrays((arr, values)), axis)


def array_split(ary: ArrayLike, indices_or_sections: Any, axis: int = 0) -> list[ndarray]:
    """Views of the parts of an array, which need not be of equal extents.

    Parameters
    ----------
    indices_or_sections : int or sequence of ints
        A number of parts, or the positions between them.
    """
    array = _core.as_array(ary)
    if array.ndim == 0:
        raise AxisError(axis, 0)
    extent = array.shape[_axis_in(axis, array.ndim)]
    if not hasattr(indices_or_sections, "__index__") or _is_sequence(indices_or_sections):
        return _core.split_at(array, _positions(indices_or_sections), axis)
    sections = indices_or_sections.__index__()
    if sections <= 0:
        raise ValueError("number sections must be larger than 0.")
    each, extra = divmod(extent, sections)
    points = [i * each + min(i, extra) for i in range(1, sections)]
    return _core.split_at(array, points, axis)


def _is_sequence(value: Any) -> bool:
    return hasattr(value, "__len__") and getattr(value, "ndim", 1) > 0


def _positions(points: Any) -> list[int]:
    if isinstance(points, ndarray):
        points = points.tolist()
    return [int(point) for point in points]


def split(ary: ArrayLike, indices_or_sections: Any, axis: int = 0) -> list[ndarray]:
    """`array_split` into a number of parts of equal extents, or at positions."""
    array = _core.as_array(ary)
    if not _is_sequence(indices_or_sections):
        extent = array.shape[_axis_in(axis, array.ndim)]
        sections = indices_or_sections.__index__()
        if extent % sections:
            raise ValueError(
                f"array split does not result in an equal division: extent {extent}, "
                f"{sections} sections"
            )
    return array_split(array, indices_or_sections, axis)


def vsplit(ary: ArrayLike, indices_or_sections: Any) -> list[ndarray]:
    """`split` along the first dimension of at least two."""
    if ndim(ary) < 2:
        raise ValueError("vsplit only works on arrays of 2 or more dimensions")
    return split(ary, indices_or_sections, 0)


def hsplit(ary: ArrayLike, indices_or_sections: Any) -> list[ndarray]:
    """`split` along the second dimension (vectors: the first)."""
    rank = ndim(ary)
    if rank == 0:
        raise ValueError("hsplit only works on arrays of 1 or more dimensions")
    return split(ary, indices_or_sections, 1 if rank > 1 else 0)


def dsplit(ary: ArrayLike, indices_or_sections: Any) -> list[ndarray]:
    """`split` along the third dimension."""
    if ndim(ary) < 3:
        raise ValueError("dsplit only works on arrays of 3 or more dimensions")
    return split(ary, indices_or_sections, 2)


def flip(m: ArrayLike, axis: AxisLike = None) -> ndarray:
    """View with the order of elements reversed along `axis` (default: all)."""
    return _core.flip(_core.as_array(m), axis)


def flipud(m: ArrayLike) -> ndarray:
    """View with the first dimension reversed."""
    array = _core.as_array(m)
    if array.ndim < 1:
        raise ValueError("Input must be >= 1-d.")
    return _core.flip(array, 0)


def fliplr(m: ArrayLike) -> ndarray:
    """View with the second dimension reversed."""
    array = _core.as_array(m)
    if array.ndim < 2:
        raise ValueError("Input must be >= 2-d.")
    return _core.flip(array, 1)


def rot90(m: ArrayLike, k: int = 1, axes: tuple[int, int] = (0, 1)) -> ndarray:
    """View turned `k` times by 90 degrees from axes[0] towards axes[1]."""
    array = _core.as_array(m)
    if len(axes) != 2:
        raise ValueError("len(axes) must be 2.")
    if array.ndim and (axes[0] == axes[1] or abs(axes[0] - axes[1]) == array.ndim):
        raise ValueError("Axes must be different.")
    if any(not -array.ndim <= axis < array.ndim for axis in axes):
        raise ValueError(f"Axes={axes} out of range for array of ndim={array.ndim}.")
    turns = k % 4
    if turns == 0:
        return array[...]
    if turns == 2:
        return _core.flip(array, axes)
    if turns == 1:
        return _core.swapaxes(_core.flip(array, axes[1]), *axes)
    return _core.flip(_core.swapaxes(array, *axes), axes[1])


def roll(a: ArrayLike, shift: Any, axis: AxisLike = None) -> ndarray:
    """Elements moved along `axis`; those that leave come back at the other end.

    `shift` and `axis` may be tuples, which broadcast; without `axis` the flattened array is
    rolled and gets its shape back.
    """
    array = _core.as_array(a)
    if isinstance(shift, ndarray):
        shift = shift.tolist()
    if axis is None:
        return _core.roll(array, int(np.sum(shift)), None)
    shifts, axes = np.broadcast_arrays(shift, axis)
    if shifts.ndim > 1:
        raise ValueError("'shift' and 'axis' should be scalars or 1D sequences")
    pairs: dict[int, int] = {}
    for step, number in zip(shifts.ravel().tolist(), axes.ravel().tolist(), strict=True):
        position = _axis_in(number, array.ndim)
        pairs[position] = pairs.get(position, 0) + step
    return _core.roll(array, list(pairs.values()), list(pairs))


def tile(A: ArrayLike, reps: Any) -> ndarray:  # noqa: N803
    """`A` repeated `reps` times along each dimension."""
    return _core.tile(_core.as_array(A), reps)


def repeat(a: ArrayLike, repeats: Any, axis: int | None = None) -> ndarray:
    """Every element repeated, along `axis` or of the flattened array."""
    if isinstance(repeats, ndarray):
        repeats = repeats.tolist()
    if not isinstance(repeats, int):
        repeats = np.asarray(repeats).astype(np.int64).tolist()
    return _core.repeat(_core.as_array(a), repeats, axis)


def resize(a: ArrayLike, new_shape: ShapeLike) -> ndarray:
    """A new array of `new_shape` with the elements of `a`, repeated as often as needed."""
    array = _core.ravel(_core.as_array(a))
    extents = (new_shape,) if isinstance(new_shape, int) else tuple(new_shape)
    if any(extent < 0 for extent in extents):
        raise ValueError("all elements of `new_shape` must be non-negative")
    count = int(np.prod(extents, dtype=object)) if extents else 1
    if array.size == 0 or count == 0:
        return _core.full(extents, 0, array.dtype, "C", array.device)
    repeated = _core.tile(array, -(-count // array.size))[:count]
    return _core.reshape(repeated, extents)


def trim_zeros(filt: ArrayLike, trim: str = "fb") -> ndarray:
    """`filt` (one dimension) without the zeros at its front ('f') and back ('b')."""
    array = _core.as_array(filt)
    (positions,) = _core.nonzero(array)
    if positions.size == 0:
        return array[:0]
    first = int(positions[0]) if "f" in trim.lower() else 0
    last = int(positions[-1]) + 1 if "b" in trim.lower() else array.size
    return array[first:last]


def delete(arr: ArrayLike, obj: Any, axis: int | None = None) -> ndarray:
    """`arr` without the elements at `obj` (an index, slice, or list of indices) of `axis`."""
    array = _core.as_array(arr)
    if axis is None:
        array, axis = _core.ravel(array), 0
    axis = _axis_in(axis, array.ndim)
    extent = array.shape[axis]
    selector = obj if isinstance(obj, slice) else _host_indices(obj)
    kept = np.delete(np.arange(extent), selector)
    return _core.take(array, kept, axis)


def insert(arr: ArrayLike, obj: Any, values: ArrayLike, axis: int | None = None) -> ndarray:
    """`arr` with `values` before the elements at `obj` of `axis`."""
    array = _core.as_array(arr)
    if axis is None:
        array, axis = _core.ravel(array), 0
    axis = _axis_in(axis, array.ndim)
    extent = array.shape[axis]
    selector = obj if isinstance(obj, slice) else _host_indices(obj)
    inserted = _core.as_array(values, array.device)
    if not isinstance(selector, slice) and np.size(selector) == 1:
        rank = builtins.max(array.ndim - inserted.ndim, 0)
        inserted = _core.reshape(inserted, (1,) * rank + inserted.shape)
        if np.ndim(selector) == 0:
            inserted = _core.moveaxis(inserted, 0, axis)
        selector = [int(np.ravel(selector)[0])] * inserted.shape[axis]
    order = np.insert(np.arange(extent), selector, -1)
    new_shape = (*array.shape[:axis], len(order), *array.shape[axis + 1 :])
    result = _core.empty(new_shape, array.dtype, "C", array.device)
    lead = (slice(None),) * axis
    result[(*lead, np.flatnonzero(order >= 0))] = array
    result[(*lead, np.flatnonzero(order < 0))] = inserted
    return result


def _host_indices(obj: Any) -> Any:
    return obj.tolist() if isinstance(obj, ndarray) else obj
