"""The axes of `nditer`: of its operands, of its outputs that are allocated, and its shape."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from cupola import _cupola as _core
from cupola._array.nditer_order import order_of_axes
from cupola._cupola import ndarray

Axes = tuple[int, ...]
"""For each axis of the iterator that of an operand; below zero: a new one."""


def axes_of_operands(op_axes: Any, itershape: Any, count: int) -> list[Axes | None]:
    """`op_axes` as tuples; None for an operand whose last axes are those of the iterator."""
    if op_axes is None:
        return [None] * count
    found = [
        None
        if axes is None
        else tuple(-1 if axis is None else operator.index(axis) for axis in axes)
        for axes in op_axes
    ]
    named = [axes for axes in found if axes is not None]
    if len(found) != count or not named:
        raise ValueError("op_axes needs an entry for each operand, and a list of axes for one")
    lengths = {len(axes) for axes in named} | ({len(itershape)} if itershape is not None else set())
    if len(lengths) > 1:
        raise ValueError("the lists of op_axes, and itershape, have an entry for each axis")
    for axes in named:
        kept = [axis for axis in axes if axis >= 0]
        if len(set(kept)) != len(kept):
            raise ValueError(f"the axes {axes} of an operand name one of them twice")
    return found


def axes_in(ndim: int, array: ndarray, axes: Axes | None) -> Axes:
    """Those of an array in an iterator of so many dimensions: by default the last ones."""
    if axes is not None:
        return axes
    return (-1,) * (ndim - array.ndim) + tuple(range(array.ndim))


def placed(array: ndarray, axes: Axes | None) -> ndarray:
    """With an axis for each one of the iterator; along those left out it stays at index 0."""
    if axes is None:
        return array
    kept = [axis for axis in axes if axis >= 0]
    if any(axis >= array.ndim for axis in kept):
        raise ValueError(f"the axes {axes} are not all there in shape {array.shape}")
    left_out = [axis for axis in range(array.ndim) if axis not in kept]
    view = _core.transpose(array, kept + left_out)[(..., *[0] * len(left_out))]
    return view[(..., *(None if axis < 0 else slice(None) for axis in axes))]


def shape_of_iterator(
    views: Sequence[ndarray], axes: Sequence[Axes | None], itershape: Any
) -> tuple[int, ...]:
    """That of the operands broadcast, with the axes of `op_axes` and `itershape`."""
    wanted = None if itershape is None else [operator.index(extent) for extent in itershape]
    named = [each for each in axes if each is not None]
    shapes = [view.shape for view in views]
    if wanted is not None:
        shapes.append(tuple(1 if extent < 0 else extent for extent in wanted))
    elif named:
        shapes.append((1,) * len(named[0]))
    shape = np.broadcast_shapes(*shapes)
    if (named or wanted is not None) and len(shape) > len(shapes[-1]):
        raise ValueError(f"an operand has more dimensions than the iterator, {len(shapes[-1])}")
    if wanted is not None and any(
        0 <= extent != found for extent, found in zip(wanted, shape, strict=True)
    ):
        raise ValueError(f"operands of shape {shape} do not broadcast to itershape {itershape}")
    return shape


def allocated(
    known: Sequence[ndarray],
    shape: tuple[int, ...],
    dtype: Any,
    order: str,
    axes: Axes | None,
    device: Any,
) -> ndarray:
    """A new array, whose axes lie in memory in the order of the iterator."""
    own = tuple(range(len(shape))) if axes is None else axes
    count = sum(axis >= 0 for axis in own)
    if sorted(axis for axis in own if axis >= 0) != list(range(count)):
        raise ValueError(f"an output is allocated with all axes up to its last one, not {own}")
    if known:
        outside = order_of_axes(known, order)
    else:
        outside = list(range(len(shape)))[:: -1 if order == "F" else 1]
    kept = [axis for axis in outside if own[axis] >= 0]
    memory = _core.empty([shape[axis] for axis in kept], dtype, "C", device=device)
    return _core.transpose(memory, [kept.index(own.index(axis)) for axis in range(count)])
