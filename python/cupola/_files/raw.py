"""Elements without a header, as bytes or as text: `fromfile`, `fromstring`, `ndarray.tofile`."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._files.elements import read_elements, regular_file, write_elements
from cupola._files.pieces import is_bfloat16
from cupola._functions.arguments import scope_of
from cupola._functions.creation.arrays import array

if TYPE_CHECKING:
    from cupola._typing import DTypeLike

__all__ = ["fromfile", "fromstring"]


def fromfile(
    file: Any,
    dtype: DTypeLike = None,
    count: int = -1,
    sep: str = "",
    offset: int = 0,
    *,
    like: Any = None,
) -> ndarray:
    """An array of one dimension of the elements that a file has, without a header.

    Parameters
    ----------
    file : file, str or path
        An open file is read from its position on, and stands behind what was read afterwards.
    dtype : optional
        Of the elements in the file, in whatever byte order; the array has the machine's. Default:
        float64.
    count : int
        How many elements at most; -1: all that are there.
    sep : str
        What stands between numbers in a file of text; without it, a file has the bytes of the
        elements, and goes to the device in pieces.
    offset : int
        Bytes that are passed over, in a file of bytes only.
    like : ndarray, optional
        The result is on its device.

    Returns
    -------
    ndarray
        On the current device without `like`, with as many elements as were found.

    Raises
    ------
    TypeError
        For an `offset` in a file of text, and dtypes that arrays cannot have.
    ValueError
        For all elements from behind the end of the file.
    OSError
        For a file without a position.

    Examples
    --------
    >>> import tempfile
    >>> import cupola as cp
    >>> with tempfile.TemporaryFile() as file:
    ...     cp.arange(4, dtype="int16").tofile(file)
    ...     _ = file.seek(0)
    ...     cp.fromfile(file, "int16", offset=2).tolist()
    [1, 2, 3]
    """
    if not isinstance(sep, str):
        raise TypeError(f"sep must be a str, not {type(sep).__name__}")
    if sep and offset != 0:
        raise TypeError("'offset' argument only permitted for binary files")
    with scope_of(like), contextlib.ExitStack() as stack:
        if not hasattr(file, "read"):
            file = stack.enter_context(open(os.fspath(file), "rb"))
        kind = _dtype_in_file(dtype)
        if sep or regular_file(file) is None or kind.itemsize == 0:
            host = np.fromfile(file, kind, count, sep, offset=offset)
            return _as_asked(array(host), dtype)
        position = file.tell() + offset
        if position < 0:
            raise OSError(f"there is no position {position} in a file")
        size = os.fstat(file.fileno()).st_size
        if count < 0 and position > size:
            raise ValueError(f"position {position} lies behind the end of a file of {size} bytes")
        there = max(size - position, 0) // kind.itemsize
        file.seek(position)
        number = there if count < 0 else min(count, there)
        return _as_asked(read_elements(file, (number,), kind), dtype)


def _dtype_in_file(dtype: DTypeLike) -> np.dtype:
    if is_bfloat16_name(dtype):
        return np.dtype(np.uint16)
    kind = np.dtype(dtype)
    _core.dtype(kind.newbyteorder("="))  # TypeError for what arrays cannot have
    return kind


def is_bfloat16_name(dtype: Any) -> bool:
    """Whether a dtype is bfloat16, which NumPy's functions read and write as its bits."""
    try:
        return is_bfloat16(_core.dtype(dtype))
    except TypeError:
        return False


def _as_asked(result: ndarray, dtype: DTypeLike) -> ndarray:
    return _core.view_as(result, "bfloat16") if is_bfloat16_name(dtype) else result


def fromstring(
    string: str,
    dtype: DTypeLike = float,
    count: int = -1,
    *,
    sep: str = "",
    like: Any = None,
) -> ndarray:
    """An array of one dimension of the numbers in a text.

    Parameters
    ----------
    string : str
    dtype : optional
    count : int
        How many numbers at most; -1: all.
    sep : str
        What stands between them. Texts of bytes, without a separator, are `frombuffer`'s.
    like : ndarray, optional
        The result is on its device.

    Returns
    -------
    ndarray
        Of one dimension and of `dtype`.

    Raises
    ------
    ValueError
        Without a separator, and for fewer numbers than `count`.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.fromstring("1, 2, 3", int, sep=",").tolist()
    [1, 2, 3]
    """
    return array(np.fromstring(string, dtype, count, sep=sep), like=like)


def tofile(a: ndarray, fid: Any, sep: str = "", format: str = "%s") -> None:
    """What the method of that name does."""
    with contextlib.ExitStack() as stack:
        if not hasattr(fid, "write"):
            fid = stack.enter_context(open(os.fspath(fid), "wb"))
        if sep:
            _core.download(a).tofile(fid, sep, format)
        elif regular_file(fid) is None:
            _core.download(a).tofile(fid)  # NumPy's errors for what has no descriptor
        else:
            write_elements(fid, a)
