"""Arrays piece by piece: what passes through host memory at a time is a piece, not the array.

The parts of an array on several devices are read and written at the same time, by a thread for each
member.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray

if TYPE_CHECKING:
    from cupola._typing import OrderLike

PIECE_BYTES = 8 << 20
# Of CPU devices: what is copied is still in the cache when it is written, or used.
HOST_PIECE_BYTES = 256 << 10

Reader = Callable[[int, int], np.ndarray]
"""Gives the elements from one flat position to another, in the machine's byte order."""
Writer = Callable[[int, np.ndarray], None]
"""Takes elements and the flat position of the first one."""


def is_bfloat16(dtype: Any) -> bool:
    """Whether NumPy's own functions do not know the dtype."""
    return not isinstance(dtype, np.dtype) or dtype.name == "bfloat16"


def with_file_dtype(array: ndarray) -> ndarray:
    """A view whose elements NumPy can hold: bfloat16 as its bits."""
    return _core.view_as(array, np.uint16) if is_bfloat16(array.dtype) else array


def flat_view(array: ndarray, order: OrderLike) -> ndarray | None:
    """The elements in that order as a view of one dimension; None where it takes a copy."""
    is_fitting = array.flags.f_contiguous if order == "F" else array.flags.c_contiguous
    return _core.reshape(array, (-1,), order) if is_fitting else None


def _pieces(flat: ndarray, first: int, end: int) -> Iterator[tuple[int, np.ndarray]]:
    """The pieces of a part, on the host; each is valid until the next one is asked for."""
    buffer = None
    for start, stop in _ranges(first, end, flat):
        if buffer is None:
            buffer = np.empty(stop - start, flat.dtype)
        yield start, _core.download(flat[start:stop], out=buffer[: stop - start])


def _piece_bytes(array: ndarray) -> int:
    return min(PIECE_BYTES, HOST_PIECE_BYTES) if array.device.platform == "cpu" else PIECE_BYTES


def _ranges(first: int, end: int, flat: ndarray) -> Iterator[tuple[int, int]]:
    step = max(1, _piece_bytes(flat) // flat.itemsize)
    for start in range(first, end, step):
        yield start, min(start + step, end)


def _parts(flat: ndarray) -> list[tuple[int, int]]:
    """The positions of a line that each member of its device holds."""
    parts = [part.elements for part in flat.placement] if flat.device.is_set else []
    return [part for part in parts if part[0] < part[1]] or [(0, flat.size)]


def _for_each_part(flat: ndarray, work: Callable[[int, int], None]) -> None:
    parts = _parts(flat)
    if len(parts) == 1:
        work(*parts[0])
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(len(parts)) as pool:
        for done in [pool.submit(work, first, end) for first, end in parts]:
            done.result()


def fill(flat: ndarray, read: Reader, in_order: bool = False) -> None:
    """Set the elements of a line that lies in memory without gaps.

    The parts of several members are read at once, unless it has to be in order.
    """

    def fill_part(first: int, end: int) -> None:
        for start, stop in _ranges(first, end, flat):
            _core.set_elements(flat[start:stop], read(start, stop))

    if in_order:
        fill_part(0, flat.size)
    else:
        _for_each_part(flat, fill_part)


def write_at(flat: ndarray, write: Writer) -> None:
    """Hand over the elements of a line; parts may be written at once, in any order."""

    def write_part(first: int, end: int) -> None:
        for start, piece in _pieces(flat, first, end):
            write(start, piece)

    _for_each_part(flat, write_part)


def in_pieces(array: ndarray, order: OrderLike = "C") -> Iterator[np.ndarray]:
    """The elements in order, in pieces on the host, each in one dimension.

    A piece is valid until the next one is asked for.
    """
    flat = flat_view(array, order)
    if flat is None and array.ndim > 1:
        array = _core.transpose(array) if order == "F" else array
        rows = max(1, _piece_bytes(array) // max(1, array[:1].nbytes))
        for start in range(0, array.shape[0], rows):
            yield from in_pieces(_core.copy(array[start : start + rows], "C"))
        return
    flat = array if flat is None else flat
    for _, piece in _pieces(flat, 0, flat.size):
        yield piece
