"""The parts of a distributed array, and how the elements of a place are made of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cupola import _cupola as _core
from cupola._cupola import Device, ndarray
from cupola._functions.creation.filled import full
from cupola.cupyx.distributed.array._indices import Index, extents, overlap, within
from cupola.cupyx.distributed.array._modes import Mode

if TYPE_CHECKING:
    from cupola._typing import DeviceLike

__all__ = ["Chunk", "Chunks", "every", "shares_counted_once", "values_at"]


@dataclass(frozen=True)
class Chunk:
    """Elements of an array on one device, and which they are."""

    array: ndarray
    index: Index


Chunks = dict[int, list[Chunk]]
"""By the number of their device."""


def every(chunks: Chunks) -> list[Chunk]:
    """Those of all devices, in order."""
    return [chunk for those in chunks.values() for chunk in those]


def _at(array: ndarray, index: Index) -> ndarray:
    return array if not index else array[index]


def _combined(
    parts: Iterable[tuple[Chunk, Index]], index: Index, dtype: Any, mode: Mode, device: Device
) -> ndarray:
    start = 0 if mode is Mode.REPLICA else mode.identity(dtype)
    result = full(extents(index), start, dtype, device=device)
    for chunk, common in parts:
        part = _core.to_device(_at(chunk.array, within(chunk.index, common)), device)
        place = within(index, common) or (Ellipsis,)
        result[place] = part if mode is Mode.REPLICA else mode.combine(result[place], part)
    return result


def values_at(chunks: Chunks, index: Index, dtype: Any, mode: Mode, device: DeviceLike) -> ndarray:
    """The elements of a place on a device; 0, or the mode's identity, where no chunk has them.

    A view of a chunk where one is all that is needed.
    """
    target = device if isinstance(device, Device) else Device(device)
    near = sorted(every(chunks), key=lambda chunk: chunk.array.device != target)
    found = [(chunk, overlap(chunk.index, index)) for chunk in near]
    parts = [(chunk, common) for chunk, common in found if common is not None]
    whole = [part for part in parts if extents(part[1]) == extents(index)]
    if whole and (mode is Mode.REPLICA or len(parts) == 1):
        chunk, common = whole[0]
        return _core.to_device(_at(chunk.array, within(chunk.index, common)), target)
    return _combined(parts, index, dtype, mode, target)


def shares_counted_once(chunks: Chunks, identity: Any) -> Chunks:
    """Of chunks that overlap and have whole values, all but the last have the identity there."""
    order = [(device, chunk) for device, those in chunks.items() for chunk in those]
    made: Chunks = {device: [] for device in chunks}
    for i, (device, chunk) in enumerate(order):
        common = [overlap(chunk.index, later.index) for _, later in order[i + 1 :]]
        places = [within(chunk.index, each) for each in common if each is not None]
        array = _core.copy(chunk.array, "C") if places else chunk.array
        for place in places:
            array[place or (Ellipsis,)] = identity
        made[device].append(Chunk(array, chunk.index))
    return made
