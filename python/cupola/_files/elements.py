"""The elements of an array from a file and to it, as NumPy's format .npy has them."""

from __future__ import annotations

import io
import math
import os
import stat
import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._files.pieces import (
    fill,
    flat_view,
    in_pieces,
    is_bfloat16,
    with_file_dtype,
    write_at,
)
from cupola._functions.creation.arrays import array as array_of

if TYPE_CHECKING:
    from cupola._typing import OrderLike


def regular_file(file: Any) -> int | None:
    """The descriptor of an open file whose bytes can be read and written at any position."""
    if not isinstance(file, io.BufferedReader | io.BufferedWriter | io.BufferedRandom | io.FileIO):
        return None
    descriptor = file.fileno()
    return descriptor if stat.S_ISREG(os.fstat(descriptor).st_mode) else None


def has_position(file: Any) -> bool:
    """Whether an open file tells its position, which `read` alone does not take."""
    return hasattr(file, "tell") and hasattr(file, "seekable") and file.seekable()


# ---- writing


def write_npy(file: Any, array: ndarray) -> None:
    """Write header and elements to an open file."""
    order: OrderLike = "F" if array.flags.fnc else "C"
    dtype = np.dtype("V2") if is_bfloat16(array.dtype) else array.dtype
    header = {
        "descr": np.lib.format.dtype_to_descr(dtype),
        "fortran_order": order == "F",
        "shape": array.shape,
    }
    np.lib.format.write_array_header_1_0(file, header)
    write_elements(file, array, order)


def write_elements(file: Any, array: ndarray, order: OrderLike = "C") -> None:
    """Write the elements in that order to an open file, from its position on."""
    array = with_file_dtype(array)
    flat = flat_view(array, order)
    descriptor = regular_file(file) if array.device.is_set else None
    if flat is None or descriptor is None or is_appending(descriptor):
        for piece in in_pieces(array, order):
            file.write(piece.data.cast("B") if piece.size else b"")
        return
    file.flush()
    start = file.tell()
    itemsize = array.itemsize
    write_at(flat, lambda at, piece: _write_all(descriptor, piece, start + at * itemsize))
    file.seek(start + array.nbytes)


def is_appending(descriptor: int) -> bool:
    """Whether a file takes everything at its end, wherever it is written to."""
    import fcntl

    return bool(fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_APPEND)


def _write_all(descriptor: int, piece: np.ndarray, position: int) -> None:
    rest: Any = piece.view(np.uint8).data
    while rest:
        written = os.pwrite(descriptor, rest, position)
        rest, position = rest[written:], position + written


# ---- reading


def read_npy(file: Any, options: dict[str, Any], size: int | None = None) -> Any:
    """The array of an open file that stands at its start, of `size` bytes if that is known."""
    limit = 2**64 if options["allow_pickle"] else options["max_header_size"]
    start = file.tell() if has_position(file) else None
    version = np.lib.format.read_magic(file)
    if version == (1, 0):
        header = np.lib.format.read_array_header_1_0(file, limit)
    elif version == (2, 0):
        header = np.lib.format.read_array_header_2_0(file, limit)
    else:
        header = None
    if header is None or header[2].hasobject:  # what is rare, or pickled, is NumPy's to read
        if start is None:
            raise ValueError("a file of this kind must have a position to be read")
        file.seek(start)
        return array_of(np.lib.format.read_array(file, **options))
    shape, is_fortran, dtype = header
    left = None if size is None else size - file.tell()
    return read_elements(file, shape, dtype, "F" if is_fortran else "C", left)


def own_dtype(dtype: np.dtype) -> Any:
    """The dtype of an array with such elements. TypeError where there is none."""
    return _core.dtype("bfloat16" if dtype == np.dtype("V2") else dtype.newbyteorder("="))


def read_elements(
    file: Any,
    shape: tuple[int, ...],
    dtype: np.dtype,
    order: Any = "C",
    left: int | None = None,
) -> ndarray:
    """An array of the elements from the position of an open file on. ValueError where it ends.

    `left` is the number of bytes from there to the end, if the caller knows it.
    """
    target = own_dtype(dtype)
    count = math.prod(shape)
    nbytes = count * dtype.itemsize
    left = _bytes_left(file) if left is None else left
    if left is not None and left < nbytes:  # before memory is taken for what a header promises
        raise _ended(nbytes, left)
    descriptor = regular_file(file)
    result = _core.empty(shape, target, order)
    if not count:
        return result
    flat = with_file_dtype(_core.reshape(result, (-1,), order))
    source = np.dtype(np.uint16) if dtype == np.dtype("V2") else dtype

    def elements(data: Any) -> np.ndarray:
        return np.frombuffer(data, source).astype(flat.dtype, copy=False)

    itemsize = dtype.itemsize
    if descriptor is None:
        fill(
            flat,
            lambda first, end: elements(_read(file, (end - first) * itemsize)),
            in_order=True,
        )
        return result
    start = file.tell()
    fill(
        flat,
        lambda first, end: elements(
            _read_at(descriptor, start + first * itemsize, (end - first) * itemsize)
        ),
    )
    file.seek(start + nbytes)
    return result


def _bytes_left(file: Any) -> int | None:
    """How many bytes there are behind the position of a file, if that is known."""
    if isinstance(file, zipfile.ZipExtFile) or not has_position(file):
        return None
    position = file.tell()
    end = file.seek(0, os.SEEK_END)
    file.seek(position)
    return max(end - position, 0)


def _ended(wanted: int, found: int) -> ValueError:
    return ValueError(f"EOF: reading array data, expected {wanted} bytes got {found}")


def _read(file: Any, size: int) -> bytes:
    """So many bytes of a stream, which may give fewer at a time."""
    parts = []
    missing = size
    while missing:
        part = file.read(missing)
        if not part:
            raise _ended(size, size - missing)
        parts.append(part)
        missing -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _read_at(descriptor: int, position: int, size: int) -> bytearray:
    data = bytearray(size)
    view = memoryview(data)
    done = 0
    while done < size:
        found = os.preadv(descriptor, [view[done:]], position + done)
        if not found:
            raise _ended(size, done)
        done += found
    return data
