"""Files in NumPy's formats .npy and .npz; NumPy reads and writes their headers."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola._cupola import ndarray
from cupola._files.archives import NpzFile, write_archive
from cupola._files.elements import read_npy, write_npy
from cupola._functions.creation.arrays import array

if TYPE_CHECKING:
    from cupola._typing import ArrayLike

__all__ = ["load", "save", "savez", "savez_compressed"]

_PREFIX = np.lib.format.MAGIC_PREFIX
_ZIPS = (b"PK\x03\x04", b"PK\x05\x06")


def save(file: Any, arr: ArrayLike, allow_pickle: bool = True) -> None:
    """Write an array to a file in NumPy's format .npy.

    Parameters
    ----------
    file : file, str or path
        A name gets the ending .npy where it lacks it.
    arr : array_like
        An array goes through host memory in pieces; the parts of one on several devices are
        written at the same time where `file` is a name. bfloat16 is written as NumPy writes it,
        as two bytes without a type.
    allow_pickle : bool
        Write what is no array of ours and has Python objects by pickling them.

    Returns
    -------
    None

    Raises
    ------
    ValueError
        For objects with ``allow_pickle=False``.

    Examples
    --------
    >>> import io
    >>> import cupola as cp
    >>> file = io.BytesIO()
    >>> cp.save(file, cp.arange(3))
    >>> _ = file.seek(0)
    >>> cp.load(file).tolist()
    [0, 1, 2]
    """
    if not isinstance(arr, ndarray):
        np.save(file, arr, allow_pickle)
        return
    with contextlib.ExitStack() as stack:
        if not hasattr(file, "write"):
            name = os.fspath(file)
            ending: Any = b".npy" if isinstance(name, bytes) else ".npy"
            name = name if name.endswith(ending) else name + ending
            file = stack.enter_context(open(name, "wb"))
        write_npy(file, arr)


def savez(file: Any, *args: ArrayLike, allow_pickle: bool = True, **kwds: ArrayLike) -> None:
    """Write arrays to a file in NumPy's format .npz.

    Parameters
    ----------
    file : file, str or path
        A name gets the ending .npz where it lacks it.
    *args, **kwds : array_like
        By the names arr_0, arr_1 and so on, and by those of the arguments.
    allow_pickle : bool
        As that of `save`.

    Returns
    -------
    None

    Raises
    ------
    ValueError
        For an argument that has the name of one without a name.

    Examples
    --------
    >>> import io
    >>> import cupola as cp
    >>> file = io.BytesIO()
    >>> cp.savez(file, cp.arange(3), scale=cp.ones(()))
    >>> _ = file.seek(0)
    >>> sorted(cp.load(file))
    ['arr_0', 'scale']
    """
    write_archive(file, args, kwds, False, allow_pickle)


def savez_compressed(
    file: Any, *args: ArrayLike, allow_pickle: bool = True, **kwds: ArrayLike
) -> None:
    """`savez` that compresses the arrays.

    Parameters
    ----------
    file : str, path or file object
    *args, **kwds : arrays
        Positional ones get the names arr_0, arr_1 and so on.

    Returns
    -------
    None

    Examples
    --------
    >>> import cupola as cp
    >>> cp.savez_compressed("data.npz", x=cp.arange(3))
    >>> cp.load("data.npz")["x"].tolist()
    [0, 1, 2]
    """
    write_archive(file, args, kwds, True, allow_pickle)


def load(
    file: Any,
    mmap_mode: str | None = None,
    allow_pickle: bool = False,
    fix_imports: bool = True,
    encoding: str = "ASCII",
    *,
    max_header_size: int = 10000,
) -> Any:
    """Read an array from a file .npy, or the arrays of a file .npz, to the current device.

    Parameters
    ----------
    file : file, str or path
        A file must have `read`, and `seek` to be read as .npz.
    mmap_mode : {None, 'r', 'c'}
        Changes nothing: a file goes to the device in pieces, and the array is a copy, as private as
        that of mode 'c'.
    allow_pickle : bool
        Read pickled objects, which may run any program; what is no array is returned as it is.
    fix_imports, encoding
        For objects that Python 2 has pickled.
    max_header_size : int
        Longer headers are refused, unless `allow_pickle`.

    Returns
    -------
    ndarray or NpzFile
        In the machine's byte order, whatever that of the file. Two bytes without a type, as NumPy
        writes bfloat16, are read as bfloat16. The arrays of an `NpzFile` are read when they are
        asked for.

    Raises
    ------
    ValueError
        For files that are cut short or not in these formats, Python objects without
        `allow_pickle`, and the modes 'r+' and 'w+': an array on a device does not write to a file.
    EOFError
        For empty files.
    TypeError
        For dtypes that arrays cannot have.

    Examples
    --------
    >>> import io
    >>> import cupola as cp
    >>> file = io.BytesIO()
    >>> cp.save(file, cp.eye(2))
    >>> _ = file.seek(0)
    >>> cp.load(file).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    options: dict[str, Any] = {
        "allow_pickle": allow_pickle,
        "pickle_kwargs": {"encoding": encoding, "fix_imports": fix_imports},
        "max_header_size": max_header_size,
    }
    mode = "r" if mmap_mode is None else mmap_mode
    if encoding not in ("ASCII", "latin1", "bytes"):
        raise ValueError("encoding must be 'ASCII', 'latin1', or 'bytes'")
    if hasattr(file, "read"):
        return _loaded(file, False, mode, options)
    opened = open(os.fspath(file), "rb")  # noqa: SIM115 - an NpzFile keeps it open
    result = None
    try:
        result = _loaded(opened, True, mode, options)
    finally:
        if not isinstance(result, NpzFile):
            opened.close()
    return result


def _loaded(file: Any, is_own: bool, mode: str, options: dict[str, Any]) -> Any:
    magic = file.read(len(_PREFIX))
    if not magic:
        raise EOFError("No data left in file")
    file.seek(-min(len(_PREFIX), len(magic)), 1)
    if magic.startswith(_ZIPS):
        return NpzFile(file, own_fid=is_own, **options)
    if magic != _PREFIX:
        value = np.load(file, allow_pickle=options["allow_pickle"], **options["pickle_kwargs"])
        return array(value) if isinstance(value, np.ndarray) else value
    if mode not in ("r", "c", "readonly", "copyonwrite"):
        raise ValueError(f"mmap_mode must be None, 'r' or 'c', not {mode!r}: arrays are copies")
    return read_npy(file, options)
