"""The operands of `nditer`: what their flags allow, outputs that are allocated, casts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cupola import _cupola as _core
from cupola._array.nditer_order import order_of_axes
from cupola._cupola import ndarray

_NAMES = (
    "readonly readwrite writeonly allocate no_broadcast no_subtype copy updateifcopy nbo aligned "
    "contig arraymask writemasked overlap_assume_elementwise virtual"
)
_FLAGS = set(_NAMES.split())


@dataclass
class Operand:
    """An array, what the iterator goes over (a view of it, or of a cast copy), and its flags."""

    array: ndarray
    view: ndarray
    target: ndarray | None = None
    copy: ndarray | None = None
    is_reduced: bool = False

    def write_back(self) -> None:
        """Cast what was written to the copy."""
        if self.target is not None and self.copy is not None:
            _core.copyto(self.target, self.copy, "unsafe")


def _each(values: Any, count: int) -> list[Any]:
    """A value for each operand: one for all, or a sequence of them."""
    if values is None or isinstance(values, (str, type, np.dtype)):
        return [values] * count
    return list(values)


def _flags_for(op_flags: Any, arrays: Sequence[Any]) -> list[set[str]]:
    if op_flags is None:
        return [{"readonly"} if a is not None else {"writeonly", "allocate"} for a in arrays]
    if op_flags and all(isinstance(flag, str) for flag in op_flags):
        found = [set(op_flags)] * len(arrays)
    else:
        found = [set(each) for each in op_flags]
    if len(found) != len(arrays):
        raise ValueError("op_flags must be a tuple or array of per-op flag-tuples")
    for array, flags in zip(arrays, found, strict=True):
        if unknown := flags - _FLAGS:
            raise ValueError(f'Unexpected per-op iterator flag "{min(unknown)}"')
        if array is None and "allocate" not in flags:
            raise ValueError(
                "At least one iterator operand must be non-NULL, or be of the flag 'allocate'"
            )
    return [_with_access(flags) for flags in found]


def _with_access(flags: set[str]) -> set[str]:
    access = flags & {"readonly", "readwrite", "writeonly"}
    if len(access) > 1:
        raise ValueError(
            "Only one of the iterator flags READWRITE, READONLY, and WRITEONLY may be specified "
            "for an operand"
        )
    if access:
        return flags
    if "allocate" in flags:
        return flags | {"writeonly"}
    raise ValueError(
        "None of the iterator flags READWRITE, READONLY, or WRITEONLY were specified for an operand"
    )


def _on_axes(array: ndarray, axes: Any) -> ndarray:
    """With an axis for each one of the iterator; -1 and None stand for a new one."""
    wanted = [-1 if axis is None else int(axis) for axis in axes]
    kept = [axis for axis in wanted if axis >= 0]
    left_out = [axis for axis in range(array.ndim) if axis not in kept]
    if any(array.shape[axis] != 1 for axis in left_out) or len(set(kept)) != len(kept):
        raise ValueError(f"the axes {wanted} do not name each axis of shape {array.shape} once")
    view = _core.transpose(array, kept + left_out)[(..., *[0] * len(left_out))]
    return view[tuple(None if axis < 0 else slice(None) for axis in wanted)]


def prepared(
    op: Any,
    flags: set[str],
    op_flags: Any,
    op_dtypes: Any,
    order: str,
    casting: Any,
    op_axes: Any,
    itershape: Any,
) -> tuple[list[Operand], tuple[int, ...]]:
    """The operands, broadcast, and the shape of the iterator."""
    given = list(op) if isinstance(op, (list, tuple)) else [op]
    if all(each is None for each in given):
        raise ValueError("At least one iterator operand must be non-NULL")
    device = next((each.device for each in given if isinstance(each, ndarray)), None)
    arrays = [None if each is None else _core.as_array(each, device) for each in given]
    access = _flags_for(op_flags, arrays)
    dtypes = _each(op_dtypes, len(arrays))
    axes = [None] * len(arrays) if op_axes is None else list(op_axes)
    if len(dtypes) != len(arrays) or len(axes) != len(arrays):
        raise ValueError("there must be an entry of op_dtypes and op_axes for each operand")
    placed = [
        None if a is None else a if places is None else _on_axes(a, places)
        for a, places in zip(arrays, axes, strict=True)
    ]
    shape = _common_shape(placed, itershape)
    if "common_dtype" in flags:
        common = _core.result_type([a.dtype for a in arrays if a is not None])
        dtypes = [common if dtype is None else dtype for dtype in dtypes]
    known = [_core.broadcast_to(view, shape) for view in placed if view is not None]
    found = []
    for number, (array, view) in enumerate(zip(arrays, placed, strict=True)):
        dtype = None if dtypes[number] is None else _core.dtype(dtypes[number])
        if array is None:
            operand = _allocated(known, arrays, shape, dtype, order)
        else:
            operand = _given(number, array, view, shape, dtype, access[number], flags, casting)
        if "readonly" in access[number]:
            operand.view = operand.view[...]
            operand.view._set_writable(False)
        found.append(operand)
    return found, shape


def _common_shape(placed: Sequence[Any], itershape: Any) -> tuple[int, ...]:
    shapes = [view.shape for view in placed if view is not None]
    if itershape is not None:
        shapes.append(tuple(1 if extent == -1 else int(extent) for extent in itershape))
    return np.broadcast_shapes(*shapes)


def _allocated(
    known: Sequence[ndarray], arrays: Sequence[Any], shape: tuple[int, ...], dtype: Any, order: str
) -> Operand:
    """A new array, whose axes lie in memory in the order of the iterator."""
    if dtype is None:
        dtype = _core.result_type([a.dtype for a in arrays if a is not None])
    axes = order_of_axes(known, "C" if order == "A" else order)
    extents = [shape[axis] for axis in axes]
    memory = _core.empty(extents, dtype, "C", device=known[0].device)
    array = _core.transpose(memory, [axes.index(axis) for axis in range(len(axes))])
    return Operand(array, array)


def _given(
    number: int,
    array: ndarray,
    view: Any,
    shape: tuple[int, ...],
    dtype: Any,
    access: set[str],
    flags: set[str],
    casting: Any,
) -> Operand:
    writes = "readonly" not in access
    if writes and not array.flags.writeable:
        raise ValueError("output array is read-only")
    if view.shape != shape and ("no_broadcast" in access or (writes and "reduce_ok" not in flags)):
        raise ValueError(
            f"operand {number} of shape {view.shape} does not have the iterator's shape {shape}: "
            "an output is reduced, which needs the flag 'reduce_ok', or 'no_broadcast' was asked"
        )
    target = copy = None
    if dtype is not None and dtype != view.dtype:
        _check_cast(number, view.dtype, dtype, access, flags, casting)
        target = view if writes else None
        view = copy = _core.astype(view, dtype, "K", "unsafe", True)
    if not writes:
        return Operand(array, _core.broadcast_to(view, shape))
    missing = len(shape) - view.ndim
    is_reduced = view.shape != shape
    return Operand(array, view[(None,) * missing], target, copy, is_reduced)


def _check_cast(
    number: int, source: Any, target: Any, access: set[str], flags: set[str], casting: Any
) -> None:
    if "buffered" not in flags and "copy" not in access and "updateifcopy" not in access:
        raise TypeError(
            "Iterator operand required copying or buffering, but neither copying nor buffering was "
            "enabled"
        )
    pairs = []
    if "writeonly" not in access:
        pairs.append((source, target))
    if "readonly" not in access:
        pairs.append((target, source))
    for start, end in pairs:
        if not _core.can_cast(start, end, casting):
            raise TypeError(
                f"Iterator operand {number} dtype could not be cast from {start!r} to {end!r} "
                f"according to the rule '{casting}'"
            )
