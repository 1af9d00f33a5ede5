"""Sums, products and extremes of distributed arrays."""

from __future__ import annotations

from typing import Any

from numpy.lib.array_utils import normalize_axis_tuple

from cupola.cupyx.distributed.array._array import DistributedArray
from cupola.cupyx.distributed.array._chunks import Chunk, Chunks, every
from cupola.cupyx.distributed.array._indices import Index
from cupola.cupyx.distributed.array._modes import Mode

__all__ = ["reduced"]


def _without(index: Index, axes: tuple[int, ...], keepdims: bool) -> Index:
    one = [slice(0, 1, 1)] if keepdims else []
    return tuple(
        part for axis, each in enumerate(index) for part in (one if axis in axes else [each])
    )


def reduced(
    array: DistributedArray, name: str, axis: Any, dtype: Any, keepdims: bool
) -> DistributedArray:
    """Each chunk reduced on its device; the mode of the result combines those of an element.

    Sums and products count an element once, so that the array is brought to their mode before;
    extremes may be taken of replicas too.
    """
    mode = Mode(name)
    if array.mode is not mode:
        array = array.change_mode(Mode.REPLICA if mode.idempotent else mode)
    axes = tuple(range(array.ndim)) if axis is None else normalize_axis_tuple(axis, array.ndim)
    options = {"dtype": dtype} if dtype is not None else {}
    chunks: Chunks = {
        device: [
            Chunk(
                getattr(chunk.array, name)(axis=axes, keepdims=keepdims, **options),
                _without(chunk.index, axes, keepdims),
            )
            for chunk in those
        ]
        for device, those in array._chunks.items()
    }
    one = (1,) if keepdims else ()
    shape = tuple(
        n for at, extent in enumerate(array.shape) for n in (one if at in axes else (extent,))
    )
    return DistributedArray(shape, every(chunks)[0].array.dtype, chunks, mode)
