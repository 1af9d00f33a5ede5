"""Views of contiguous arrays, made by the same steps in NumPy and in the module under test."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from cupola_under_test import cp, from_numpy
from hypothesis import strategies as st

from .samples import mixed_values, ordinary_values, small_values

FILLS = {"mixed": mixed_values, "ordinary": ordinary_values, "small": small_values}


@dataclass(frozen=True)
class Operand:
    """`base`, then in this order: slices, a permutation of axes, a broadcast."""

    base: np.ndarray
    slices: tuple[slice, ...] = ()
    axes: tuple[int, ...] = ()
    broadcast: tuple[int, ...] | None = None
    description: str = field(default="", compare=False)

    def view(self, base: Any, module_broadcast: Any) -> Any:
        """The view of `base`, an array of either module."""
        result = base[self.slices] if self.slices else base
        if self.axes:
            result = result.transpose(self.axes)
        if self.broadcast is not None:
            result = module_broadcast(result, self.broadcast)
        return result

    def in_numpy(self) -> np.ndarray:
        """The view in NumPy, of a new copy of the base."""
        return self.view(self.base.copy(), np.broadcast_to)

    def under_test(self) -> Any:
        """The view in the module under test."""
        return self.view(from_numpy(self.base), cp.broadcast_to)

    def __repr__(self) -> str:
        return (
            f"Operand({self.base.dtype}{self.base.shape}, slices={self.slices}, "
            f"axes={self.axes}, broadcast={self.broadcast})"
        )


extents = st.sampled_from([0, 1, 1, 2, 3, 3, 4, 5, 7, 17])
small_extents = st.sampled_from([0, 1, 2, 3, 4])


@st.composite
def shapes(draw: Any, min_rank: int = 0, max_rank: int = 4, min_extent: int = 0) -> tuple:
    """Shapes with zeros and ones among the extents; few elements at high rank."""
    rank = draw(st.integers(min_rank, max_rank))
    choice = extents if rank <= 2 else small_extents
    return tuple(max(draw(choice), min_extent) for _ in range(rank))


@st.composite
def broadcast_shapes(draw: Any, count: int, max_rank: int = 4) -> list[tuple[int, ...]]:
    """Shapes that broadcast with one another."""
    full = draw(shapes(max_rank=max_rank))
    result = []
    for _ in range(count):
        shape = full[draw(st.integers(0, len(full))) :] if draw(st.booleans()) else full
        result.append(tuple(1 if draw(st.integers(0, 4)) == 0 else n for n in shape))
    return result


@st.composite
def operands(
    draw: Any,
    dtypes: Any,
    shape: tuple[int, ...] | None = None,
    fill: str = "mixed",
    broadcast: bool = True,
) -> Operand:
    """An array of that shape: contiguous, or a view with any strides, zero strides included."""
    dtype = draw(st.sampled_from(dtypes)) if isinstance(dtypes, list) else dtypes
    if shape is None:
        shape = draw(shapes())
    seed = draw(st.integers(0, 2**16))
    if draw(st.integers(0, 2)) == 0:
        return Operand(np.asarray(FILLS[fill](dtype, shape, seed)))
    rank = len(shape)
    spread = [broadcast and draw(st.integers(0, 5)) == 0 for _ in shape]
    permutation = tuple(draw(st.permutations(range(rank)))) if rank else ()
    viewed = tuple(1 if spread[i] else n for i, n in enumerate(shape))
    stored = [0] * rank
    for position, axis in enumerate(permutation):
        stored[axis] = viewed[position]
    base_shape, slices = [], []
    for extent in stored:
        base_extent, part = draw(strided_axis(extent))
        base_shape.append(base_extent)
        slices.append(part)
    base = np.asarray(FILLS[fill](dtype, tuple(base_shape), seed))
    spread_shape = shape if any(spread) else None
    return Operand(base, tuple(slices), permutation, spread_shape)


@st.composite
def strided_axis(draw: Any, extent: int) -> tuple[int, slice]:
    """The extent of a base axis and the slice of it that leaves `extent` elements."""
    step = draw(st.sampled_from([1, 1, 2, 3, -1, -1, -2]))
    before, after = draw(st.integers(0, 2)), draw(st.integers(0, 2))
    covered = (extent - 1) * abs(step) + 1 if extent else 0
    total = before + covered + after
    if extent == 0:
        return total, slice(before, before)
    if step > 0:
        return total, slice(before, before + covered, step)
    last = before - 1
    return total, slice(before + covered - 1, last if last >= 0 else None, step)


@st.composite
def slices_of(draw: Any, extent: int, count: int) -> slice:
    """A slice that takes exactly `count` of `extent` elements; count <= extent."""
    if count == 0:
        return slice(0, 0)
    longest = (extent - 1) // (count - 1) if count > 1 else max(extent, 1)
    step = draw(st.integers(1, max(1, min(longest, 3))))
    covered = (count - 1) * step + 1
    start = draw(st.integers(0, extent - covered))
    if draw(st.booleans()):
        return slice(start, start + covered, step)
    return slice(start + covered - 1, start - 1 if start else None, -step)
