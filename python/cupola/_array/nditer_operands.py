"""The operands of `nditer`: what their flags allow, outputs that are allocated, copies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cupola import _cupola as _core
from cupola._array.nditer_axes import (
    Axes,
    allocated,
    axes_in,
    axes_of_operands,
    placed,
    shape_of_iterator,
)
from cupola._cupola import ndarray
from cupola._functions.mathematics.elementwise import shares_memory

_NAMES = (
    "readonly readwrite writeonly allocate no_broadcast no_subtype copy updateifcopy nbo aligned "
    "contig arraymask writemasked overlap_assume_elementwise virtual"
)
_FLAGS = set(_NAMES.split())


@dataclass
class Operand:
    """An array, what the iterator goes over, its axes and flags.

    `view` is a view of `array`, or of a copy that `write_back` brings to `target`; where the flags
    asked for the copy, `array` is the copy. `source` is the view of what was given, whose steps
    say in which order the elements come.
    """

    array: ndarray
    view: ndarray
    source: ndarray
    axes: Axes
    access: set[str]
    target: ndarray | None = None
    copy: ndarray | None = None
    mask: ndarray | None = None
    is_reduced: bool = False

    @property
    def is_written(self) -> bool:
        """Whether there is anything to write back."""
        return "readonly" not in self.access

    def take_copy(self, dtype: Any, is_shown: bool) -> None:
        """Go over a copy instead, which the user sees in place of the array or does not."""
        self.copy = _core.astype(self.array, dtype, "K", "unsafe", True)
        self.target = self.array if self.is_written else None
        self.view = placed(self.copy, self.axes)
        if is_shown:
            self.array = self.copy

    def write_back(self) -> None:
        """Cast what was written to the copy, where a mask says so."""
        if self.target is None or self.copy is None:
            return
        if self.mask is None:
            _core.copyto(self.target, self.copy, "unsafe")
        else:
            target, copy = placed(self.target, self.axes), placed(self.copy, self.axes)
            _core.copyto(target, copy, "unsafe", _core.astype(self.mask, "bool"))


def _each(values: Any, count: int) -> list[Any]:
    """A value for each operand: one for all, or a sequence of them."""
    if values is None or isinstance(values, (str, type, np.dtype)):
        return [values] * count
    return list(values)


def _flags_for(op_flags: Any, arrays: Sequence[Any], flags: set[str]) -> list[set[str]]:
    if op_flags is None:
        return [{"readonly"} if a is not None else {"writeonly", "allocate"} for a in arrays]
    if op_flags and all(isinstance(flag, str) for flag in op_flags):
        found = [set(op_flags)] * len(arrays)
    else:
        found = [set(each) for each in op_flags]
    if len(found) != len(arrays):
        raise ValueError("op_flags must be a tuple or array of per-op flag-tuples")
    for array, own in zip(arrays, found, strict=True):
        if unknown := own - _FLAGS:
            raise ValueError(f'Unexpected per-op iterator flag "{min(unknown)}"')
        if array is None and "allocate" not in own:
            raise ValueError(
                "At least one iterator operand must be non-NULL, or be of the flag 'allocate'"
            )
    for array, own in zip(arrays, found, strict=True):
        _check_access(own)
        if array is None:
            _check_allocated(own, flags)
    _check_masks(found)
    return found


def _check_written(given: Sequence[Any], access: Sequence[set[str]]) -> None:
    for each, own in zip(given, access, strict=True):
        if "readonly" not in own and not (each is None or isinstance(each, ndarray)):
            raise TypeError(f"an operand that is written is an array, not {type(each).__name__}")


def _check_access(flags: set[str]) -> None:
    access = flags & {"readonly", "readwrite", "writeonly"}
    if len(access) > 1:
        raise ValueError(
            "Only one of the iterator flags READWRITE, READONLY, and WRITEONLY may be specified "
            "for an operand"
        )
    if not access:
        raise ValueError(
            "None of the iterator flags READWRITE, READONLY, or WRITEONLY were specified for an "
            "operand"
        )
    if "readonly" not in access and "copy" in flags and "updateifcopy" not in flags:
        raise ValueError("an operand that is written needs the flag 'updateifcopy', not 'copy'")


def _check_allocated(own: set[str], flags: set[str]) -> None:
    if "readonly" in own:
        raise ValueError("an output that is allocated cannot be of the flag 'readonly'")
    if "readwrite" in own and "buffered" in flags and "delay_bufalloc" not in flags:
        raise ValueError(
            "an output that is allocated, read and buffered needs the flag 'delay_bufalloc'"
        )


def _check_masks(found: Sequence[set[str]]) -> None:
    masks = sum("arraymask" in own for own in found)
    masked = [own for own in found if "writemasked" in own]
    if masks > 1:
        raise ValueError("only one operand can be of the flag 'arraymask'")
    if bool(masked) != bool(masks):
        raise ValueError("the flags 'writemasked' and 'arraymask' need one another")
    if any("readonly" in own or "arraymask" in own for own in masked):
        raise ValueError("an operand of 'writemasked' is written, and is not the mask")


def prepared(
    op: Any,
    flags: set[str],
    op_flags: Any,
    op_dtypes: Any,
    order: str,
    casting: Any,
    op_axes: Any,
    itershape: Any,
) -> tuple[list[Operand], tuple[int, ...], str]:
    """The operands, broadcast, the shape of the iterator, and its order: 'K', 'C' or 'F'."""
    given = list(op) if isinstance(op, (list, tuple)) else [op]
    if not given:
        raise ValueError("Must provide at least one operand")
    _core.can_cast("bool", "bool", casting)  # ValueError for a rule that there is not
    device = next((each.device for each in given if isinstance(each, ndarray)), None)
    arrays = [None if each is None else _core.as_array(each, device) for each in given]
    access = _flags_for(op_flags, arrays, flags)
    _check_written(given, access)
    dtypes = [None if t is None else _core.dtype(t) for t in _each(op_dtypes, len(arrays))]
    if len(dtypes) != len(arrays):
        raise ValueError("there must be an entry of op_dtypes for each operand")
    axes = axes_of_operands(op_axes, itershape, len(arrays))
    views = [None if a is None else placed(a, own) for a, own in zip(arrays, axes, strict=True)]
    shape = shape_of_iterator([view for view in views if view is not None], axes, itershape)
    if order == "A":
        order = "F" if all(a is None or a.flags.f_contiguous for a in arrays) else "C"
    dtypes = _with_common_dtype(dtypes, arrays, access, flags)
    known = [_core.broadcast_to(view, shape) for view in views if view is not None]
    found = []
    for number, dtype in enumerate(dtypes):
        array = arrays[number]
        if array is None:
            array = allocated(known, shape, dtype, order, axes[number], device)
        own = axes_in(len(shape), array, axes[number])
        view = placed(array, own)
        operand = Operand(array, view, view, own, access[number])
        _check_shape(number, operand, shape, flags, axes[number] is not None)
        found.append(operand)
    if 0 in shape and "zerosize_ok" not in flags:
        raise ValueError("Iteration of zero-sized operands is not enabled")
    for number, dtype in enumerate(dtypes):
        if dtype is not None and dtype != found[number].array.dtype:
            _cast(number, found[number], dtype, flags, casting)
    if "copy_if_overlap" in flags:
        _copy_overlapping(found)
    _give_mask(found)
    for operand in found:
        _place_in(shape, operand)
    return found, shape, order


def _with_common_dtype(
    dtypes: list[Any], arrays: Sequence[Any], access: Sequence[set[str]], flags: set[str]
) -> list[Any]:
    """What is asked for, and for outputs that are allocated what their inputs say."""
    common = "common_dtype" in flags
    known = [
        array.dtype if dtype is None and array is not None else dtype
        for array, dtype in zip(arrays, dtypes, strict=True)
    ]
    inputs = [
        dtype
        for dtype, own in zip(known, access, strict=True)
        if dtype is not None and (common or "writeonly" not in own)
    ]
    if not common and all(dtype is not None for dtype in known):
        return known
    if not inputs:
        raise TypeError("an output that is allocated needs its dtype, or operands to read")
    promoted = _core.result_type(inputs)
    return [promoted if dtype is None or common else dtype for dtype in known]


def _is_whole(operand: Operand, shape: tuple[int, ...], has_axes: bool) -> bool:
    """Whether nothing is broadcast; new axes that `op_axes` asks for are none."""
    if not has_axes:
        return operand.array.shape == shape
    extents = zip(operand.axes, operand.view.shape, shape, strict=True)
    return all(axis < 0 or one == other for axis, one, other in extents)


def _check_shape(
    number: int, operand: Operand, shape: tuple[int, ...], flags: set[str], has_axes: bool
) -> None:
    """What is written is of the iterator's shape, or is reduced."""
    view, access = operand.view, operand.access
    if operand.is_written and not operand.array.flags.writeable:
        raise ValueError("output array is read-only")
    if "no_broadcast" in access and not _is_whole(operand, shape, has_axes):
        raise ValueError(f"operand {number} of shape {operand.array.shape} is broadcast to {shape}")
    if view.shape == shape:
        return
    if operand.is_written and "reduce_ok" not in flags:
        raise ValueError(
            f"operand {number} of shape {view.shape} does not have the iterator's shape {shape}: "
            "an output is reduced, which needs the flag 'reduce_ok'"
        )
    if operand.is_written and ("writeonly" in access or "arraymask" in access):
        raise ValueError(
            f"operand {number} of shape {view.shape} is reduced, which needs the flag 'readwrite', "
            "and it cannot be the mask"
        )


def _place_in(shape: tuple[int, ...], operand: Operand) -> None:
    """The view as the iterator takes it: of its shape, or where a sum goes."""
    if operand.is_written:
        operand.is_reduced = operand.view.shape != shape
    else:
        operand.view = _core.broadcast_to(operand.view, shape)[...]
        operand.view._set_writable(False)


def _cast(number: int, operand: Operand, dtype: Any, flags: set[str], casting: Any) -> None:
    """Go over a copy of another dtype. TypeError where the flags or the rule do not allow it."""
    access, source = operand.access, operand.array.dtype
    is_asked = bool({"copy", "updateifcopy"} & access)
    is_number = operand.array.ndim == 0 and not operand.is_written
    if not (is_asked or is_number or "buffered" in flags):
        raise TypeError(
            "Iterator operand required copying or buffering, but neither copying nor buffering was "
            "enabled"
        )
    pairs = [] if "writeonly" in access else [(source, dtype)]
    pairs += [(dtype, source)] if operand.is_written else []
    for start, end in pairs:
        if not _core.can_cast(start, end, casting):
            raise TypeError(
                f"Iterator operand {number} dtype could not be cast from {start!r} to {end!r} "
                f"according to the rule '{casting}'"
            )
    operand.take_copy(dtype, is_asked or is_number)


def _copy_overlapping(operands: Sequence[Operand]) -> None:
    """What is written goes to a copy first where another operand is read from its memory."""
    for operand in operands:
        if operand.is_written and operand.copy is None:
            others = [other for other in operands if other is not operand and other.copy is None]
            if any(_overlaps(operand, other) for other in others):
                operand.take_copy(operand.array.dtype, True)


def _overlaps(written: Operand, other: Operand) -> bool:
    a, b = written.array, other.array
    if "writeonly" in other.access or a.device != b.device or not shares_memory(a, b):
        return False
    elementwise = "overlap_assume_elementwise"
    is_same = (a.shape, a.strides, a.dtype, a.data.ptr) == (b.shape, b.strides, b.dtype, b.data.ptr)
    return not (is_same and elementwise in written.access and elementwise in other.access)


def _give_mask(operands: Sequence[Operand]) -> None:
    """Buffers of operands of 'writemasked' are written back where the mask is true."""
    masks = [operand for operand in operands if "arraymask" in operand.access]
    for operand in operands if masks else ():
        if "writemasked" not in operand.access:
            continue
        mask, view = masks[0].view, operand.view
        if np.broadcast_shapes(view.shape, mask.shape) != view.shape:
            raise ValueError("an output that is reduced needs a mask that is no larger")
        if operand.copy is not None and not {"copy", "updateifcopy"} & operand.access:
            if mask.dtype not in (np.bool_, np.uint8):
                raise TypeError(f"a mask is of bool or uint8, not {mask.dtype}")
            operand.mask = mask
