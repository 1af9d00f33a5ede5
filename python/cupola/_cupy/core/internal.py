"""`cupy._core.internal`: small functions on shapes, axes and slices."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from cupola._functions.arguments import axis_in

__all__ = [
    "clp2",
    "complete_slice",
    "from_float16",
    "get_c_contiguity",
    "get_size",
    "infer_unknown_dimension",
    "is_in",
    "prod",
    "prod_sequence",
    "to_float16",
    "vector_equal",
]


def prod(args: Iterable[int]) -> int:
    """The product of whole numbers; 1 of none."""
    return math.prod(args)


prod_sequence = prod


def is_in(args: Iterable[int], x: int) -> bool:
    """Whether a number is among others."""
    return x in args


def vector_equal(x: Sequence[int], y: Sequence[int]) -> bool:
    """Whether two sequences have the same numbers."""
    return tuple(x) == tuple(y)


def _refuse_bool(size: object) -> None:
    if getattr(size, "shape", ()) == () and isinstance(getattr(size, "dtype", size), bool | _BOOL):
        raise TypeError("an integer is required")


_BOOL = type(np.dtype(bool))


def get_size(size: Any) -> tuple[Any, ...]:
    """A shape as a tuple, of a tuple, another sequence or one number.

    Raises
    ------
    TypeError
        For booleans.
    """
    if size is None:
        warnings.warn(
            "None as a shape is deprecated; () is the shape of a scalar",
            DeprecationWarning,
            stacklevel=2,
        )
        return ()
    try:
        parts = tuple(size)
    except TypeError:
        parts = (size,)
    for each in parts:
        _refuse_bool(each)
    return parts


def get_c_contiguity(shape: Sequence[int], strides: Sequence[int], itemsize: int) -> bool:
    """Whether elements of these strides, in bytes, follow each other in C order."""
    if 0 in shape:
        return True
    expected = itemsize
    for count, stride in zip(reversed(shape), reversed(strides), strict=True):
        if count != 1 and stride != expected:
            return False
        expected *= count
    return True


def infer_unknown_dimension(shape: Sequence[int], size: int) -> list[int]:
    """A shape of `size` elements in which one dimension may be -1.

    Raises
    ------
    ValueError
        For several unknown dimensions, and for a size that does not fit.
    """
    unknown = [place for place, count in enumerate(shape) if count < 0]
    if len(unknown) > 1:
        raise ValueError("can only specify one unknown dimension")
    known = math.prod(count for count in shape if count >= 0)
    if not unknown and known == size:
        return list(shape)
    if not unknown or known == 0 or size % known:
        raise ValueError(f"cannot reshape array of size {size} into shape {tuple(shape)}")
    return [size // known if count < 0 else count for count in shape]


def complete_slice(slc: slice, dim: int) -> slice:
    """A slice of `dim` elements with numbers for all of its parts; one of no elements ends where
    it begins.

    Raises
    ------
    TypeError
        For parts that are no whole numbers.
    ValueError
        For a step of 0.
    """
    start, stop, step = slc.indices(dim)
    return slice(start, max(start, stop) if step > 0 else min(start, stop), step)


def clp2(x: int) -> int:
    """The least power of two that is not less; 0 of 0."""
    return 1 << (x - 1).bit_length() if x > 0 else 0


def to_float16(f: float) -> int:
    """The bits of a number as float16."""
    return int(np.float16(f).view(np.uint16))


def from_float16(v: int) -> float:
    """The number of the bits of a float16."""
    return float(np.uint16(v).view(np.float16))


_normalize_axis_index = axis_in


def _normalize_axis_indices(axes: Any, ndim: int, sort_axes: bool = True) -> tuple[int, ...]:
    if axes is None:
        axes = range(ndim)
    elif not isinstance(axes, tuple):
        axes = (axes,)
    found = [_normalize_axis_index(axis, ndim) for axis in axes]
    if len(set(found)) < len(found):
        raise ValueError("duplicate value in 'axis'")
    return tuple(sorted(found) if sort_axes else found)


def _contig_axes(axes: tuple[int, ...]) -> bool:
    return bool(axes) and axes == tuple(range(axes[0], axes[0] + len(axes)))


def _broadcast_shapes(shapes: Iterable[tuple[int, ...]]) -> tuple[int, ...]:
    return np.broadcast_shapes(*shapes)
