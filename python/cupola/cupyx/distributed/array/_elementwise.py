"""Elementwise functions of distributed arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cupola._cupola import Device, ndarray
from cupola.cupyx.distributed.array._array import DistributedArray
from cupola.cupyx.distributed.array._chunks import Chunk, Chunks, values_at
from cupola.cupyx.distributed.array._modes import Mode

__all__ = ["elementwise"]


def _check(args: tuple[Any, ...]) -> None:
    found = [each for each in args if isinstance(each, DistributedArray)]
    for each in args:
        if isinstance(each, ndarray) or (hasattr(each, "shape") and each.shape != ()):
            if not isinstance(each, DistributedArray):
                raise RuntimeError(
                    "Mixing a distributed array with a non-distributed one is not supported; "
                    "distributed_array() makes one"
                )
            if each.shape != found[0].shape:
                raise ValueError(
                    f"distributed arrays of shapes {found[0].shape} and {each.shape} do not match"
                )


def _at(value: Any, like: DistributedArray, device: int, number: int) -> Any:
    """The elements that a chunk of `like` has, of an operand."""
    if not isinstance(value, DistributedArray):
        return value
    if value.mode is Mode.REPLICA and value.index_map == like.index_map:
        return value._chunks[device][number].array
    index = like.index_map[device][number]
    return values_at(value._chunks, index, value.dtype, value.mode, device)


def elementwise(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> DistributedArray | tuple[DistributedArray, ...]:
    """The function of each chunk of the first array, with the same elements of the others.

    Raises
    ------
    RuntimeError
        For arrays that are not distributed.
    ValueError
        For arrays of other shapes.
    """
    outputs = kwargs.pop("out", None)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    outputs = tuple(each for each in outputs if each is not None)
    _check((*args, *kwargs.values(), *outputs))
    first = next(each for each in (*args, *kwargs.values()) if isinstance(each, DistributedArray))
    several: list[Chunks] = []
    for device, indices in first.index_map.items():
        for number in range(len(indices)):
            place = (first, device, number)
            values = [_at(each, *place) for each in args]
            with Device(device):
                found = function(*values, **{key: _at(kwargs[key], *place) for key in kwargs})
            parts = found if isinstance(found, tuple) else (found,)
            several = several or [{each: [] for each in first.devices} for _ in parts]
            for chunks, part in zip(several, parts, strict=True):
                chunks[device].append(Chunk(part, indices[number]))
    results = tuple(
        DistributedArray(first.shape, _dtype_of(chunks), chunks, Mode.REPLICA) for chunks in several
    )
    for out, result in zip(outputs, results, strict=False):
        out._write(result)
    results = outputs or results
    return results[0] if len(results) == 1 else results


def _dtype_of(chunks: Chunks) -> Any:
    return next(chunk.array.dtype for those in chunks.values() for chunk in those)
