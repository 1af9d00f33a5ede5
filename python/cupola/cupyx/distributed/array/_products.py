"""Matrix products of distributed arrays."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from cupola import _cupola as _core
from cupola._cupola import Device
from cupola.cupyx.distributed.array._array import DistributedArray
from cupola.cupyx.distributed.array._chunks import Chunk, Chunks
from cupola.cupyx.distributed.array._indices import Index
from cupola.cupyx.distributed.array._modes import Mode

__all__ = ["make_2d_index_map", "matmul"]

_Part = tuple[int, int, int]
_Block = tuple[_Part, ...]


def _block_of(index: Index) -> _Block:
    return tuple((part.start, part.stop, part.step) for part in index)


def _blocks(array: DistributedArray) -> dict[_Block, dict[int, Chunk]]:
    """The chunks of each block, by device."""
    found: dict[_Block, dict[int, Chunk]] = {}
    for device, those in array._chunks.items():
        for chunk in those:
            found.setdefault(_block_of(chunk.index), {})[device] = chunk
    return found


def _check(blocks: dict[_Block, Any], axis: int, other: set[_Part]) -> None:
    """Blocks are whole rows and columns of a grid, which both operands have along their sums."""
    for part in {block[axis] for block in blocks} | other:
        if part[2] != 1:
            raise RuntimeError("Step other than 1 is not supported")
    ranges = sorted({block[axis] for block in blocks} | other)
    for (_, stop, _), (start, _, _) in itertools.pairwise(ranges):
        if start < stop:
            raise RuntimeError("Inconsistent index mapping: blocks overlap in part")


def _pairs(
    left: dict[_Block, dict[int, Chunk]], right: dict[_Block, dict[int, Chunk]]
) -> Iterator[tuple[_Block, dict[int, Chunk], dict[int, Chunk]]]:
    """Blocks whose products add up to one block of the result, and which that is."""
    for a, those_of_a in sorted(left.items(), key=lambda item: item[0]):
        for b, those_of_b in sorted(right.items(), key=lambda item: item[0]):
            if a[:-2] == b[:-2] and a[-1] == b[-2]:
                yield (*a[:-1], b[-1]), those_of_a, those_of_b


def _product(a: dict[int, Chunk], b: dict[int, Chunk], work: Counter[int]) -> tuple[int, Any]:
    """On the device with both that has the least to do; where none has, b's block is copied."""
    devices = a.keys() & b.keys() or a.keys()
    device = min(devices, key=lambda each: (work[each], each))
    near = b.get(device) or next(iter(b.values()))
    right = _core.to_device(near.array, Device(device))
    left = a[device].array
    work[device] += left.size * right.shape[-1]
    return device, _core.matmul(left, right)


def _with_axis(array: DistributedArray, at: int) -> DistributedArray:
    def wider(index: Index) -> Index:
        parts = list(index)
        parts.insert(at, slice(0, 1, 1))
        return tuple(parts)

    chunks = {
        device: [
            Chunk(_core.expand_dims(chunk.array, (at,)), wider(chunk.index)) for chunk in those
        ]
        for device, those in array._chunks.items()
    }
    shape = list(array.shape)
    shape.insert(at, 1)
    return DistributedArray(tuple(shape), array.dtype, chunks, array.mode)


def _without_axis(array: DistributedArray, at: int) -> DistributedArray:
    def narrower(values: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(each for axis, each in enumerate(values) if axis != at)

    chunks = {
        device: [Chunk(_core.squeeze(chunk.array, (at,)), narrower(chunk.index)) for chunk in those]
        for device, those in array._chunks.items()
    }
    return DistributedArray(narrower(array.shape), array.dtype, chunks, array.mode)


def matmul(
    a: DistributedArray, b: DistributedArray, out: None = None, **kwargs: Any
) -> DistributedArray:
    """The matrix product of two distributed arrays; also `a @ b`.

    Each product of two blocks is computed on a device that has both; where no device has, the
    second is copied to one that has the first.

    Parameters
    ----------
    a, b : DistributedArray
        Their last two dimensions are the matrices (a vector is a row, or a column); those before
        must be the same. Chunks are blocks of a grid, whose cuts along the inner extent both have.

    Returns
    -------
    DistributedArray
        In mode SUM: a chunk for each product of blocks.

    Raises
    ------
    ValueError
        For shapes that do not match.
    RuntimeError
        For blocks that do not match, for an ordinary array, and for `out` and other keywords.

    Examples
    --------
    >>> from cupola.cupyx.distributed.array import distributed_array, make_2d_index_map
    >>> a = distributed_array(
    ...     cp.arange(6).reshape(2, 3), make_2d_index_map([0, 2], [0, 1, 3], [[{0}, {0}]])
    ... )
    >>> b = distributed_array(cp.ones((3, 1)), make_2d_index_map([0, 1, 3], [0, 1], [[{0}], [{0}]]))
    >>> (a @ b).mode
    'sum'
    >>> (a @ b).get()
    array([[ 3.],
           [12.]])
    """
    if out is not None or kwargs:
        name = "out" if out is not None else next(iter(kwargs))
        raise RuntimeError(f"Argument `{name}` is not supported")
    if not isinstance(a, DistributedArray) or not isinstance(b, DistributedArray):
        raise RuntimeError(
            "Mixing a distributed array with a non-distributed array is not supported"
        )
    if a.ndim == 0 or b.ndim == 0:
        raise ValueError("matmul: an operand has no dimension")
    row, column = a.ndim == 1, b.ndim == 1
    left = a.change_mode(Mode.REPLICA)
    right = b.change_mode(Mode.REPLICA)
    result = _matrices(
        _with_axis(left, 0) if row else left, _with_axis(right, 1) if column else right
    )
    if row:
        result = _without_axis(result, result.ndim - 2)
    return _without_axis(result, result.ndim - 1) if column else result


def _matrices(a: DistributedArray, b: DistributedArray) -> DistributedArray:
    if a.shape[-1] != b.shape[-2] or a.shape[:-2] != b.shape[:-2]:
        raise ValueError(f"Shapes are incompatible: {a.shape} and {b.shape}")
    left, right = _blocks(a), _blocks(b)
    if {block[:-2] for block in left} != {block[:-2] for block in right}:
        raise RuntimeError("Mismatched batch shapes")
    _check(left, -2, set())
    _check(left, -1, {block[-2] for block in right})
    _check(right, -1, set())
    chunks: Chunks = {device: [] for device in a.devices}
    work: Counter[int] = Counter()
    dtype = None
    for block, of_a, of_b in _pairs(left, right):
        device, product = _product(of_a, of_b, work)
        chunks[device].append(Chunk(product, tuple(slice(*part) for part in block)))
        dtype = product.dtype
    if dtype is None:
        raise RuntimeError("Array has no chunk")
    return DistributedArray((*a.shape[:-1], b.shape[-1]), dtype, chunks, Mode.SUM)


def make_2d_index_map(
    i_partitions: Sequence[int],
    j_partitions: Sequence[int],
    devices: Sequence[Sequence[set[int]]],
) -> dict[int, list[tuple[slice, ...]]]:
    """The index map of a matrix in blocks.

    Parameters
    ----------
    i_partitions, j_partitions : sequence of int
        Where blocks begin and end along rows and columns: from 0, rising.
    devices : nested sequence of sets of int
        The devices that have each block.

    Returns
    -------
    dict of int to list of tuple of slice
        As of `distributed_array`.

    Raises
    ------
    ValueError
        For cuts that do not rise from 0, and for other numbers of blocks.

    Examples
    --------
    >>> from cupola.cupyx.distributed.array import make_2d_index_map
    >>> make_2d_index_map([0, 2, 4], [0, 3], [[{0}], [{1}]])[1]
    [(slice(2, 4, None), slice(0, 3, None))]
    """
    for cuts in (i_partitions, j_partitions):
        if not cuts or cuts[0] != 0 or list(cuts) != sorted(set(cuts)):
            raise ValueError(f"partitions must rise from 0: {list(cuts)}")
    shape = len(i_partitions) - 1, len(j_partitions) - 1
    if len(devices) != shape[0] or any(len(row) != shape[1] for row in devices):
        raise ValueError(f"there are {shape[0]} x {shape[1]} blocks; `devices` must say as many")
    index_map: dict[int, list[tuple[slice, ...]]] = {}
    for i, row in enumerate(devices):
        for j, owners in enumerate(row):
            rows = slice(i_partitions[i], i_partitions[i + 1])
            columns = slice(j_partitions[j], j_partitions[j + 1])
            for device in sorted(owners):
                index_map.setdefault(device, []).append((rows, columns))
    return index_map
