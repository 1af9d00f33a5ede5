"""Where the vectors and matrices of products lie: `axes`, `axis` and `keepdims`."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from numpy.exceptions import AxisError

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._functions.arguments import NoValue, axis_in

__all__: list[str] = []

Product = Callable[..., ndarray]
"""Of operands whose vectors and matrices are their last axes, written into an output if given."""


def product_along(
    product: Product,
    name: str,
    operands: tuple[ndarray, ndarray],
    ranks: tuple[int, int, int],
    axes: Any,
    out: ndarray | None,
) -> ndarray:
    """A product with the axes of both operands and of the result where `axes` says.

    `ranks` is how many axes each of them has. Raises NumPy's errors.
    """
    places = _places(name, axes, ranks)
    moved = [
        _core.moveaxis(array, _checked(place, array.ndim, i), _last(len(place)))
        for i, (array, place) in enumerate(zip(operands, places, strict=False))
    ]
    if out is None:
        result = product(*moved, None)
        return _core.moveaxis(result, _last(ranks[2]), _checked(places[2], result.ndim, 2))
    product(*moved, _core.moveaxis(out, _checked(places[2], out.ndim, 2), _last(ranks[2])))
    return out


def _last(count: int) -> list[int]:
    return list(range(-count, 0))


def _places(name: str, axes: Any, ranks: tuple[int, int, int]) -> list[tuple[Any, ...]]:
    """An entry for each operand and the result."""
    if not isinstance(axes, list):
        raise TypeError("axes should be a list.")
    if len(axes) == 2 and ranks[2] == 0:
        axes = [*axes, ()]
    if len(axes) != 3:
        raise ValueError(
            "axes should be a list with an entry for all 3 inputs and outputs; entries for outputs "
            "can only be omitted if none of them has core axes."
        )
    return [_entry(name, i, entry, ranks[i]) for i, entry in enumerate(axes)]


def _entry(name: str, number: int, entry: Any, rank: int) -> tuple[Any, ...]:
    has = f"{name}: operand {number} has {rank} core dimensions, but"
    if not isinstance(entry, tuple):
        entry = (operator.index(entry),)
        if rank != 1:
            raise AxisError(f"{has} the axes item is a single integer.")
    if len(entry) != rank:
        raise AxisError(f"{has} {len(entry)} dimensions are specified by axes tuple.")
    return entry


def _checked(place: tuple[Any, ...], ndim: int, number: int) -> list[int]:
    found = [axis_in(axis, ndim) for axis in place]
    for axis in found:
        if found.count(axis) > 1:
            raise ValueError(f"axes item {number} has value {axis} repeated")
    return found


def axes_of_vectors(axis: Any, axes: Any, keepdims: Any) -> tuple[list[Any], Any]:
    """Of a product of vectors: the axes of both, and that which is kept in the result, or None."""
    if not isinstance(keepdims, bool):
        raise TypeError("'keepdims' must be a boolean")
    if axes is NoValue:
        place = -1 if axis is NoValue else operator.index(axis)
        return [place, place], place if keepdims else None
    if axis is not NoValue:
        raise TypeError("cannot specify both 'axis' and 'axes'")
    kept = -1 if keepdims else None
    if keepdims and isinstance(axes, list) and len(axes) == 3:
        (kept,) = _entry("vecdot", 2, axes[2], 1)
        axes = axes[:2]
    return axes, kept
