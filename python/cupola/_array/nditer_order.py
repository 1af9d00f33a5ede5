"""The order in which `nditer` goes over the axes of its operands."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol

from cupola import _cupola as _core
from cupola._cupola import ndarray


def _goes_inside(inner: Sequence[int], outer: Sequence[int]) -> bool | None:
    """Whether the first axis, outside so far, belongs inside the second; None: nothing tells.

    By the steps of both in each operand. Where operands disagree, their own order stays.
    """
    answer: bool | None = None
    for step, other in zip(inner, outer, strict=True):
        if step == 0 or other == 0:
            continue
        if abs(other) <= abs(step):
            answer = False
        elif answer is None:
            answer = True
    return answer


def order_of_axes(operands: Sequence[ndarray], order: str) -> list[int]:
    """The axes of operands of one shape, from the outermost to the innermost.

    'C' and 'F' name the order; 'K' follows the operands' memory, as NumPy does it: an insertion
    sort that starts with C order.
    """
    ndim = operands[0].ndim
    if order == "F":
        return list(reversed(range(ndim)))
    if order == "C":
        return list(range(ndim))
    steps = [[a.strides[axis] for a in operands] for axis in range(ndim)]
    found: list[int] = []  # from the innermost
    for axis in reversed(range(ndim)):
        place = len(found)
        for position in reversed(range(len(found))):
            answer = _goes_inside(steps[axis], steps[found[position]])
            if answer is None:
                continue
            if not answer:
                break
            place = position
        found.insert(place, axis)
    return found[::-1]


def backward_axes(operands: Sequence[ndarray]) -> list[int]:
    """Axes that lie backward in memory in every operand that has steps along them."""
    found = []
    for axis in range(operands[0].ndim):
        steps = [a.strides[axis] for a in operands]
        if max(steps) <= 0 and min(steps) < 0:
            found.append(axis)
    return found


class _Steps(Protocol):
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def strides(self) -> tuple[int, ...]: ...
    @property
    def size(self) -> int: ...


class Numbered(NamedTuple):
    """Steps of the numbers of elements along the axes of an iterator."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    size: int


def numbered(
    shape: Sequence[int], axes: Sequence[int], backward: set[int], order: Literal["C", "F"]
) -> Numbered:
    """How the numbers in C or Fortran order step along axes, some of which go backward."""
    number = {axis: math.prod(shape[axis + 1 :] if order == "C" else shape[:axis]) for axis in axes}
    steps = tuple(-number[axis] if axis in backward else number[axis] for axis in axes)
    return Numbered(tuple(shape[axis] for axis in axes), steps, math.prod(shape))


def coalesced_shape(operands: Sequence[_Steps]) -> list[int]:
    """The shape with neighbouring axes as one where every operand can be stepped through so."""
    shape: list[int] = []
    last: list[int] = []
    for axis, extent in enumerate(operands[0].shape):
        steps = [a.strides[axis] for a in operands]
        if extent == 1:
            continue
        if shape and all(out == step * extent for out, step in zip(last, steps, strict=True)):
            shape[-1] *= extent
        else:
            shape.append(extent)
        last = steps
    return shape or [operands[0].size]


def reshaped(operand: ndarray, shape: Sequence[int]) -> ndarray:
    """A view of another shape; ValueError where there is none."""
    return _core.reshape(operand, tuple(shape), "C", copy=False)
