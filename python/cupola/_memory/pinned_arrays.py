"""Arrays of NumPy in pinned host memory."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import ndarray
from cupola._memory.pinned import alloc_pinned_memory

if TYPE_CHECKING:
    from cupola._typing import DTypeLike, OrderLike, ShapeLike

__all__ = [
    "PinnedArray",
    "empty_like_pinned",
    "empty_pinned",
    "full_pinned",
    "ones_pinned",
    "pin",
    "zeros_like_pinned",
    "zeros_pinned",
]


def empty_pinned(shape: ShapeLike, dtype: DTypeLike = float, order: OrderLike = "C") -> np.ndarray:
    """A NumPy array in pinned memory whose elements are not set.

    Copies between it and a device run without the host. Its memory is used again only when no
    such copy is left.

    Parameters
    ----------
    shape : int or tuple of ints
    dtype, order : optional
        float64 by default.

    Returns
    -------
    numpy.ndarray
        In pinned memory; its elements are anything.

    Raises
    ------
    TypeError
        For a dtype with Python objects: the memory is not the interpreter's.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.empty_pinned((2, 3), "float32").shape
    (2, 3)
    """
    extents = (shape,) if isinstance(shape, int | np.integer) else tuple(shape)
    if any(extent < 0 for extent in extents):
        raise ValueError(f"negative dimensions are not allowed: {extents}")
    kind = np.dtype(dtype)
    if kind.hasobject:
        raise TypeError(f"pinned memory cannot hold Python objects, as dtype {kind} has them")
    count = 1
    for extent in extents:
        count *= int(extent)
    buffer = alloc_pinned_memory(count * kind.itemsize)
    return np.ndarray(extents, kind, buffer, order="F" if order == "F" else "C")


def zeros_pinned(shape: ShapeLike, dtype: DTypeLike = float, order: OrderLike = "C") -> np.ndarray:
    """A NumPy array of zeros in pinned memory.

    Parameters
    ----------
    shape : int or tuple of ints
    dtype, order : optional

    Returns
    -------
    numpy.ndarray
        In pinned memory.

    Raises
    ------
    cupola.errors.OutOfMemoryError
        Where the host has no more to pin.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.zeros_pinned(2).tolist()
    [0.0, 0.0]
    """
    return full_pinned(shape, 0, float if dtype is None else dtype, order)


def ones_pinned(shape: ShapeLike, dtype: DTypeLike = float, order: OrderLike = "C") -> np.ndarray:
    """A NumPy array of ones in pinned memory.

    Parameters
    ----------
    shape : int or tuple of ints
    dtype, order : optional

    Returns
    -------
    numpy.ndarray
        In pinned memory.

    Raises
    ------
    cupola.errors.OutOfMemoryError
        Where the host has no more to pin.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.ones_pinned(2).tolist()
    [1.0, 1.0]
    """
    return full_pinned(shape, 1, float if dtype is None else dtype, order)


def full_pinned(
    shape: ShapeLike, fill_value: Any, dtype: DTypeLike = None, order: OrderLike = "C"
) -> np.ndarray:
    """A NumPy array of one value in pinned memory.

    Parameters
    ----------
    shape : int or tuple of ints
    fill_value : scalar
    dtype, order : optional

    Returns
    -------
    numpy.ndarray
        In pinned memory.

    Raises
    ------
    cupola.errors.OutOfMemoryError
        Where the host has no more to pin.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.full_pinned(2, 7.0).tolist()
    [7.0, 7.0]
    """
    kind = np.asarray(fill_value).dtype if dtype is None else dtype
    result = empty_pinned(shape, kind, order)
    result[...] = fill_value
    return result


def empty_like_pinned(
    a: Any,
    dtype: DTypeLike = None,
    order: OrderLike = "K",
    subok: bool | None = None,
    shape: ShapeLike | None = None,
) -> np.ndarray:
    """A NumPy array in pinned memory like `a`, a NumPy array or one of ours; elements not set.

    Parameters
    ----------
    a : array_like
        Gives shape, dtype and order where they are not said.
    dtype, order, subok, shape : optional

    Returns
    -------
    numpy.ndarray
        In pinned memory; its elements are anything.

    Raises
    ------
    cupola.errors.OutOfMemoryError
        Where the host has no more to pin.

    Examples
    --------
    >>> import cupola as cp
    >>> import numpy as np
    >>> cp.empty_like_pinned(np.ones((2, 3))).shape
    (2, 3)
    """
    if not isinstance(a, np.ndarray | ndarray):
        a = np.asarray(a)
    layout = order
    if order in ("K", "A"):
        layout = "F" if a.flags.fnc else "C"
    extents = a.shape if shape is None else shape
    return empty_pinned(extents, a.dtype if dtype is None else dtype, layout)


def zeros_like_pinned(
    a: Any,
    dtype: DTypeLike = None,
    order: OrderLike = "K",
    subok: bool | None = None,
    shape: ShapeLike | None = None,
) -> np.ndarray:
    """A NumPy array of zeros in pinned memory like `a`.

    Parameters
    ----------
    a : array_like
        Gives shape, dtype and order where they are not said.
    dtype, order, subok, shape : optional

    Returns
    -------
    numpy.ndarray
        In pinned memory.

    Raises
    ------
    cupola.errors.OutOfMemoryError
        Where the host has no more to pin.

    Examples
    --------
    >>> import cupola as cp
    >>> import numpy as np
    >>> cp.zeros_like_pinned(np.ones(2)).tolist()
    [0.0, 0.0]
    """
    result = empty_like_pinned(a, dtype, order, subok, shape)
    result[...] = 0
    return result


class PinnedArray:
    """What `pin` returns: the array's memory is pinned until `unpin`, or the end of the scope."""

    def __init__(self, array: np.ndarray) -> None:
        if not isinstance(array, np.ndarray):
            raise TypeError(f"only a numpy.ndarray can be pinned, not {type(array).__name__}")
        first, last = np.lib.array_utils.byte_bounds(array)
        self._pin = _core.pin_host(first, last - first if array.size else 0)
        self.array = array

    @property
    def is_pinned(self) -> bool:
        """Whether it still is."""
        return bool(self._pin.is_pinned)

    def unpin(self) -> None:
        """Let the system move the memory again, once copies in flight are done."""
        self._pin.release()

    def __enter__(self) -> np.ndarray:
        return self.array

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.unpin()

    def __repr__(self) -> str:
        state = "pinned" if self.is_pinned else "not pinned"
        return f"<PinnedArray of {self.array.nbytes} bytes, {state}>"


def pin(array: np.ndarray) -> PinnedArray:
    """Pin the memory of an existing NumPy array, so that copies run without the host.

    Use it as a `with` scope, or keep the result and call its `unpin`.

    Parameters
    ----------
    array : array_like

    Returns
    -------
    numpy.ndarray
        A copy in pinned memory.

    Raises
    ------
    TypeError
        For what is no NumPy array.
    ValueError
        When a part of the memory is pinned already.

    Examples
    --------
    >>> import cupola as cp
    >>> import numpy as np
    >>> host = np.arange(3.0)
    >>> with cp.pin(host):
    ...     a = cp.asarray(host)
    >>> a.tolist()
    [0.0, 1.0, 2.0]
    """
    return PinnedArray(array)
