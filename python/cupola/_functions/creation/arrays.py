"""New arrays from data."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import asarray, ndarray
from cupola._functions.arguments import MOST_DIMENSIONS, on_host, place_for
from cupola._functions.creation.foreign import import_foreign, is_foreign_device_array

if TYPE_CHECKING:
    from cupola._typing import (
        ArrayLike,
        DeviceLike,
        DTypeLike,
        OrderLike,
        SourceLike,
    )

__all__ = [
    "array",
    "asanyarray",
    "asarray",
    "ascontiguousarray",
    "asfortranarray",
    "asnumpy",
    "copy",
    "frombuffer",
    "fromiter",
]


def _stack_nested(obj: Any, device: DeviceLike) -> ndarray:
    """An array from nested lists whose leaves may be arrays of ours."""
    if isinstance(obj, (list, tuple)):
        parts = [_stack_nested(item, device) for item in obj]
        shapes = {part.shape for part in parts}
        if len(shapes) > 1:
            raise ValueError(
                "setting an array element with a sequence. The requested array has an "
                f"inhomogeneous shape; the parts have shapes {sorted(shapes)}"
            )
        return _core.stack(parts, 0)
    return _core.as_array(obj, device)


def _to_host_array(obj: Any, dtype: DTypeLike) -> np.ndarray:
    if isinstance(obj, np.ndarray):
        return obj
    wanted = None if dtype is None else _core.dtype(dtype)
    host_dtype = wanted if isinstance(wanted, np.dtype) else None
    host = np.array(obj, dtype=host_dtype)
    if host.dtype.kind not in "biufcV":
        raise TypeError(
            f"cannot make an array of dtype {host.dtype} from {type(obj).__name__}: elements must "
            "be bool, integers, floating or complex numbers"
        )
    return host


def _converted(source: ndarray, dtype: DTypeLike, order: OrderLike, copy: bool | None) -> ndarray:
    """`source` with the dtype and order asked for; itself where it has them and may be shared."""
    target = source.dtype if dtype is None else dtype
    if order == "A" and not copy and source.dtype == target:
        return source
    result = _core.astype(source, target, order, "unsafe", bool(copy), True)
    if order in ("C", "F") and not result.flags[order + "_CONTIGUOUS"]:
        result = _core.copy(result, order)
    if copy is False and result is not source:
        raise ValueError("Unable to avoid copy while creating an array as requested")
    return result


def array(
    object: Any,
    dtype: DTypeLike = None,
    *,
    copy: bool | None = True,
    order: OrderLike = "K",
    subok: bool = False,
    ndmin: int = 0,
    ndmax: int = 0,
    like: Any = None,
    device: DeviceLike = None,
    blocking: bool | None = None,
    stream: Any = None,
    source: SourceLike = "snapshot",
) -> ndarray:
    """Make an array.

    Parameters
    ----------
    object : array, nested sequence, number, NumPy array, or what supports DLPack
    dtype : optional
        Default: that of `object`, as NumPy chooses it.
    copy : bool or None
        True: always copy. None: only where needed. False: ValueError where needed.
    order : {'K', 'A', 'C', 'F'}
    ndmin : int
        Dimensions that the result has at least; new ones come first.
    ndmax : int
        Sequences within one another at most; 0: as many as there are.
    like : ndarray, optional
        What comes from the host goes to its device.
    device : optional
        Default: where `object` is, else that of `like`, else the current device.
    blocking : bool, optional
        Of a copy from the host. True: it is done when the call returns. False: the call does not
        wait for its stream. None: the call returns when the source may be used again.
    stream : Stream, optional
        Of a copy from the host; default: the thread's current one.
    source : {'snapshot', 'keepalive', 'borrow'}
        Of a copy from the host. 'snapshot': the elements are those of the time of the call; the
        source may change, or go, afterwards. 'keepalive': the source is read in place until the
        copy is done and is kept alive until then; it must not be changed meanwhile. 'borrow': the
        same, and the caller keeps it.

    Returns
    -------
    ndarray
        A new array, or `object` itself where nothing had to be copied.

    Raises
    ------
    TypeError
        For elements that are no numbers.
    ValueError
        For sequences of different lengths.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.array([[1, 2], [3, 4]], dtype="float32").tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    is_plain = copy is True and order == "K" and ndmin == 0 and ndmax == 0
    is_here = device is None and like is None and stream is None and blocking is None
    if is_plain and is_here and source == "snapshot":
        found = _core.array_of_few(object, dtype)
        if found is not None:
            return found
    if copy is not True and isinstance(copy, str):
        raise ValueError("strings are not allowed for 'copy'; use True, False or None")
    if isinstance(object, ndarray):
        there = object if device is None else _core.to_device(object, device)
        if there is not object and copy is False:
            raise ValueError("Unable to avoid copy while creating an array as requested")
        result = _converted(there, dtype, order, copy if there is object else None)
    elif _core.holds_array(object):
        in_order = "C" if order in (None, "K", "k", "A", "a") else order  # however the leaves lie
        result = _converted(_stack_nested(object, device), dtype, in_order, None)
    elif is_foreign_device_array(object):
        result = _converted(import_foreign(object), dtype, order, copy)
        if device is not None:
            result = _core.to_device(result, device)
    else:
        if copy is False:
            raise ValueError("Unable to avoid copy while creating an array as requested")
        place = place_for(device, like)
        result = _from_host(object, dtype, order, place, stream, blocking, source)
    if ndmax != 0:
        _check_depth(object, result, ndmin, operator.index(ndmax))
    added = operator.index(ndmin) - result.ndim
    if added > 0:
        result = _core.reshape(result, (1,) * added + result.shape)
    return result


def _check_depth(object: Any, result: ndarray, ndmin: int, ndmax: int) -> None:
    """ValueError for sequences within more than `ndmax` others, and for deeper arrays to cast."""
    if not 0 <= ndmax <= MOST_DIMENSIONS or ndmin > ndmax:
        raise ValueError(
            f"ndmax is at most {MOST_DIMENSIONS} and ndmin at most as much, not {ndmax}, {ndmin}"
        )
    if result.ndim <= ndmax:
        return
    if isinstance(object, ndarray) and object.dtype != result.dtype:
        raise ValueError("object too deep for desired array")
    if isinstance(object, (list, tuple)):
        raise ValueError(
            "setting an array element with a sequence. The requested array would exceed the "
            f"maximum number of dimensions of {ndmax}"
        )


def _from_host(
    obj: Any,
    dtype: DTypeLike,
    order: OrderLike,
    device: DeviceLike,
    stream: Any = None,
    blocking: bool | None = None,
    source: SourceLike = "snapshot",
) -> ndarray:
    host = _to_host_array(obj, dtype)
    wanted = None if dtype is None else _core.dtype(dtype)
    if isinstance(host, np.memmap) and stream is None:
        from cupola._files.mapped import converted

        found = converted(host, wanted, order, device)
        if found is not None:
            return found
    if wanted is None or isinstance(wanted, np.dtype):
        return _core.upload(host, wanted, device, order, stream, blocking, source)
    plain = _core.upload(host, "float32", device, order, stream, blocking, source)
    return _core.astype(plain, wanted)


asanyarray = asarray


def ascontiguousarray(a: Any, dtype: DTypeLike = None, *, like: Any = None) -> ndarray:
    """An array in C order with at least one dimension; `a` itself where it is that already.

    Parameters
    ----------
    a : array_like
    dtype : optional
    like : ndarray, optional
        What comes from the host goes to its device.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> import cupola as cp
    >>> cp.ascontiguousarray(cp.ones((2, 3)).T).flags.c_contiguous
    True
    """
    return array(a, dtype, copy=None, order="C", ndmin=1, like=like)


def asfortranarray(a: Any, dtype: DTypeLike = None, *, like: Any = None) -> ndarray:
    """An array in Fortran order; `a` itself where it is that already.

    Parameters
    ----------
    a : array_like
    dtype : optional
    like : ndarray, optional
        What comes from the host goes to its device.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> import cupola as cp
    >>> cp.asfortranarray(cp.ones((2, 3))).flags.f_contiguous
    True
    """
    return array(a, dtype, copy=None, order="F", ndmin=1, like=like)


def asnumpy(
    a: Any,
    stream: Any = None,
    order: OrderLike = "C",
    out: np.ndarray | None = None,
    *,
    blocking: bool = True,
) -> np.ndarray:
    """Copy to the host.

    Parameters
    ----------
    a : array, also one of another library on a GPU, or what `numpy.asarray` takes
    stream : Stream, optional
        That copies; default: the thread's current one.
    order : {'C', 'F', 'A', 'K'}
    out : numpy.ndarray, optional
        Of the same shape and dtype; filled and returned.
    blocking : bool
        False: return at once. The result holds the elements when the stream's work so far is done,
        and is kept alive until then.

    Returns
    -------
    numpy.ndarray

    Examples
    --------
    >>> import cupola as cp
    >>> cp.asnumpy(cp.arange(3))
    array([0, 1, 2])
    """
    if isinstance(a, ndarray):
        return _core.download(a, order, out, stream, blocking)
    if hasattr(type(a), "get") and hasattr(type(a), "to_device"):  # as distributed arrays
        a = a.get()
    elif hasattr(a, "__cuda_array_interface__"):
        return _core.download(asarray(a), order, out, stream, blocking)
    host = np.asarray(a, order=order)
    if out is None:
        return host
    np.copyto(out, host)
    return out


def copy(a: ArrayLike, order: OrderLike = "K", subok: bool = False) -> ndarray:
    """A new array with the elements of `a`.

    Parameters
    ----------
    a : array_like
    order : {'K', 'A', 'C', 'F'}, optional
        Of the copy's memory.

    Returns
    -------
    ndarray
        With memory of its own, on the device of `a`.

    Examples
    --------
    >>> import cupola as cp
    >>> a = cp.arange(3)
    >>> b = cp.copy(a)
    >>> b[0] = 9
    >>> a.tolist()
    [0, 1, 2]
    """
    return _core.copy(_core.as_array(a), order)


def fromiter(iter: Any, dtype: DTypeLike, count: int = -1, *, like: Any = None) -> ndarray:
    """A one-dimensional array from an iterable.

    Parameters
    ----------
    iter : iterable of numbers
    dtype : dtype
    count : int
        How many are taken; -1: all.
    like : ndarray, optional
        The result is on its device.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        For fewer than `count`.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.fromiter((i * i for i in range(3)), int).tolist()
    [0, 1, 4]
    """
    return array(np.fromiter(on_host(iter), dtype, count), like=like)


def frombuffer(
    buffer: Any, dtype: DTypeLike = None, count: int = -1, offset: int = 0, *, like: Any = None
) -> ndarray:
    """A one-dimensional array with the bytes of an object that has the buffer protocol.

    Parameters
    ----------
    buffer : object with the buffer protocol
    dtype : optional
        Default: float64.
    count : int
        Elements; -1: all.
    offset : int
        Bytes passed over.
    like : ndarray, optional
        The result is on its device.

    Returns
    -------
    ndarray
        A copy.

    Raises
    ------
    ValueError
        For a buffer that is too short, or no multiple of the element size.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.frombuffer(b"\\x01\\x02", "int8").tolist()
    [1, 2]
    """
    return array(np.frombuffer(buffer, dtype, count, offset), like=like)
