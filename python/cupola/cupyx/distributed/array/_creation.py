"""How a `DistributedArray` is made of another array."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cupola._cupola import Device, ndarray
from cupola._functions.creation.arrays import array as array_of
from cupola.cupyx.distributed.array._array import DistributedArray
from cupola.cupyx.distributed.array._chunks import Chunk, Chunks
from cupola.cupyx.distributed.array._indices import Index, normalized_map, overlap
from cupola.cupyx.distributed.array._indices import within as place_within
from cupola.cupyx.distributed.array._modes import Mode, mode_from

__all__ = ["distributed_array"]


def distributed_array(
    array: Any, index_map: Mapping[int, Any], mode: Mode | str = Mode.REPLICA
) -> DistributedArray:
    """Distribute an array over devices of the default platform.

    Parameters
    ----------
    array : array_like or DistributedArray
        Of an array on a set of devices, each chunk is copied from where it lies.
    index_map : dict of int to index or list of indices
        The chunks of each device, by its number: slices with steps above 0 and integers. They may
        overlap. Elements in no chunk are left out.
    mode : Mode or str
        Of the result. In modes SUM and PROD, the first chunk with an element has its value.

    Returns
    -------
    DistributedArray

    Raises
    ------
    IndexError, ValueError
        For an index that is none of the array, or is empty.
    RuntimeError
        For an unknown mode.

    Examples
    --------
    >>> from cupola.cupyx.distributed.array import distributed_array
    >>> a = distributed_array(cp.arange(6), {0: [slice(4), slice(None, None, 2)]})
    >>> a.all_chunks()
    {0: [array([0, 1, 2, 3]), array([0, 2, 4])]}
    >>> (a + a).get()
    array([0, 2, 4, 6, 8, 0])
    """
    wanted = mode_from(mode)
    if isinstance(array, DistributedArray):
        return array.change_mode(wanted).reshard(index_map)
    source = array if isinstance(array, ndarray) else np.asarray(array)
    chunks: Chunks = {}
    seen: list[Index] = []
    for device, indices in normalized_map(source.shape, index_map).items():
        chunks[device] = []
        for index in indices:
            part = array_of(source[index or (Ellipsis,)], order="C", device=Device(device))
            if not wanted.idempotent:
                _leave_out(part, index, seen, wanted)
            chunks[device].append(Chunk(part, index))
            seen.append(index)
    return DistributedArray(source.shape, source.dtype, chunks, wanted)


def _leave_out(part: ndarray, index: Index, seen: list[Index], mode: Mode) -> None:
    """Elements that a chunk before has count there."""
    for earlier in seen:
        common = overlap(index, earlier)
        if common is not None:
            part[place_within(index, common) or (Ellipsis,)] = mode.identity(part.dtype)
