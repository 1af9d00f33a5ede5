"""Arithmetic of the slices that chunks are of an array; all have steps above 0, and end inside."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from typing import Any

__all__ = ["Index", "extents", "normalized", "normalized_map", "overlap", "within"]

Index = tuple[slice, ...]


def _normalized_slice(part: Any, extent: int, axis: int) -> slice:
    if isinstance(part, slice):
        start, stop, step = part.indices(extent)
        if step <= 0:
            raise ValueError("Slice step must be positive.")
        if start >= stop:
            raise ValueError(f"The index is empty on axis {axis}")
        return slice(start, stop, step)
    try:
        place = operator.index(part)
    except TypeError:
        raise ValueError(f"Invalid index on axis {axis}") from None
    if not -extent <= place < extent:
        raise IndexError(f"Index {place} is out of bounds for axis {axis} with size {extent}")
    place %= extent
    return slice(place, place + 1, 1)


def normalized(shape: tuple[int, ...], index: Any) -> Index:
    """A slice for each axis; an integer becomes a slice of one element.

    Raises
    ------
    IndexError
        For too many indices, and for one out of bounds.
    ValueError
        For an empty slice, a step below 1, and for what is neither a slice nor an integer.
    """
    parts = index if isinstance(index, tuple) else (index,)
    if len(parts) > len(shape):
        raise IndexError(
            f"too many indices for array: array is {len(shape)}-dimensional, but {len(parts)} "
            "were indexed"
        )
    parts += (slice(None),) * (len(shape) - len(parts))
    pairs = zip(parts, shape, strict=True)
    return tuple(_normalized_slice(part, extent, axis) for axis, (part, extent) in enumerate(pairs))


def _order(index: Index) -> tuple[tuple[int, int, int], ...]:
    return tuple((part.start, part.stop, part.step) for part in index)


def normalized_map(shape: tuple[int, ...], index_map: Mapping[int, Any]) -> dict[int, list[Index]]:
    """The indices of each device, in order."""
    return {
        int(device): sorted(
            (normalized(shape, each) for each in (given if isinstance(given, list) else [given])),
            key=_order,
        )
        for device, given in index_map.items()
    }


def extents(index: Index) -> tuple[int, ...]:
    """The shape of what the index selects."""
    return tuple(len(range(part.start, part.stop, part.step)) for part in index)


def _common_part(a: slice, b: slice) -> slice | None:
    """Places of both; those of a and b are congruent to their starts, modulo their steps."""
    divisor = math.gcd(a.step, b.step)
    rest = b.start - a.start
    if rest % divisor:
        return None
    step = a.step // divisor * b.step
    # The number of a's steps to the first common place, by the inverse of a's step.
    modulus = b.step // divisor
    steps = rest // divisor * pow(a.step // divisor, -1, modulus) % modulus
    first = a.start + a.step * steps
    first += max(0, -(-(b.start - first) // step)) * step
    stop = min(a.stop, b.stop)
    return slice(first, stop, step) if first < stop else None


def overlap(a: Index, b: Index) -> Index | None:
    """What both select; None where they have no element in common."""
    parts = [_common_part(x, y) for x, y in zip(a, b, strict=True)]
    found = tuple(part for part in parts if part is not None)
    return found if len(found) == len(parts) else None


def within(outer: Index, inner: Index) -> Index:
    """The index of `inner`, a part of `outer`, in the array that `outer` selects."""
    return tuple(
        slice(
            (part.start - whole.start) // whole.step,
            (part.stop - 1 - whole.start) // whole.step + 1,
            part.step // whole.step,
        )
        for whole, part in zip(outer, inner, strict=True)
    )
