"""Pointers into memory, under CuPy's names."""

from __future__ import annotations

import contextlib
import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import Device
from cupola._memory.blocks import BaseMemory, PooledMemory

if TYPE_CHECKING:
    from cupola._cupola import MemoryBlock, ndarray

__all__ = ["MemoryPointer"]


class MemoryPointer:
    """A place in memory, which it keeps alive: what `a.data` and allocators give.

    Parameters
    ----------
    mem : BaseMemory
        Where it points to.
    offset : int
        Bytes from its start.

    Examples
    --------
    >>> import cupola as cp
    >>> import numpy as np
    >>> pointer, host = cp.cuda.alloc(8), np.zeros(8, "uint8")
    >>> pointer.memset(7, 8)
    >>> (pointer + 4).memset(1, 2)
    >>> pointer.copy_to_host(host, 8)
    >>> host.tolist()
    [7, 7, 7, 7, 1, 1, 7, 7]
    """

    __slots__ = ("mem", "ptr")

    def __init__(self, mem: BaseMemory, offset: int) -> None:
        self.mem = mem
        self.ptr = mem.ptr + int(offset)

    @property
    def device(self) -> Device:
        """The device that the address is valid on."""
        return self.mem.device

    @property
    def device_id(self) -> int:
        """The device's number on its platform."""
        return self.mem.device_id

    def __int__(self) -> int:
        return self.ptr

    def __add__(self, other: int) -> MemoryPointer:
        return MemoryPointer(self.mem, self.ptr - self.mem.ptr + other)

    __radd__ = __add__

    def __iadd__(self, other: int) -> MemoryPointer:
        self.ptr += other
        return self

    def __sub__(self, other: int) -> MemoryPointer:
        return self + -other

    def __isub__(self, other: int) -> MemoryPointer:
        self.ptr -= other
        return self

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MemoryPointer):
            return NotImplemented
        return self.ptr == other.ptr and self.device == other.device

    def __hash__(self) -> int:
        return hash((self.ptr, self.device))

    def __repr__(self) -> str:
        return f"<MemoryPointer {self.ptr:#x} on '{self.device}'>"

    def _place(self) -> tuple[MemoryBlock, int]:
        """Where an array over this memory lies."""
        return self.mem._block(), self.ptr - self.mem.ptr

    def _bytes(self, size: int) -> ndarray:
        return _core.array_on_memory(*self._place(), (_checked(size),), "uint8")

    def copy_from_device(self, src: MemoryPointer, size: int) -> None:
        """Copy from memory of a device, this one or another.

        Parameters
        ----------
        src : MemoryPointer
            Where the bytes are.
        size : int
            Bytes.

        Raises
        ------
        ValueError
            For a negative size, or one beyond the memory.

        Examples
        --------
        >>> import cupola as cp
        >>> a, b = cp.arange(3), cp.zeros(3, int)
        >>> b.data.copy_from_device(a.data, a.nbytes)
        >>> b
        array([0, 1, 2])
        """
        _core.copyto(self._bytes(size), _core.to_device(src._bytes(size), self.device))

    def copy_from_device_async(self, src: MemoryPointer, size: int, stream: Any = None) -> None:
        """Copy from memory of a device, on a stream.

        Parameters
        ----------
        src : MemoryPointer
            Where the bytes are.
        size : int
            Bytes.
        stream : Stream, optional
            Default: the current one.

        Raises
        ------
        ValueError
            For a negative size, or one beyond the memory.

        Examples
        --------
        >>> import cupola as cp
        >>> a, b = cp.arange(3), cp.zeros(3, int)
        >>> b.data.copy_from_device_async(a.data, a.nbytes, cp.Stream())
        >>> b
        array([0, 1, 2])
        """
        with stream or contextlib.nullcontext():
            self.copy_from_device(src, size)

    def copy_from_host(self, mem: Any, size: int) -> None:
        """Copy from the host.

        Parameters
        ----------
        mem : int, ctypes.c_void_p or numpy.ndarray
            An address, or a contiguous array.
        size : int
            Bytes.

        Raises
        ------
        ValueError
            For a negative size, a null address, or an array that is not contiguous or too small.

        Examples
        --------
        >>> import cupola as cp
        >>> import numpy as np
        >>> a = cp.zeros(3, int)
        >>> a.data.copy_from_host(np.arange(3), a.nbytes)
        >>> a
        array([0, 1, 2])
        """
        self._bytes(size).set(_host_bytes(mem, size))

    def copy_from_host_async(self, mem: Any, size: int, stream: Any = None) -> None:
        """Copy from the host, on a stream; the memory has been read when this returns.

        Parameters
        ----------
        mem : int, ctypes.c_void_p or numpy.ndarray
            An address, or a contiguous array.
        size : int
            Bytes.
        stream : Stream, optional
            Default: the current one.

        Raises
        ------
        ValueError
            As `copy_from_host`.

        Examples
        --------
        >>> import cupola as cp
        >>> import numpy as np
        >>> a = cp.zeros(3, int)
        >>> a.data.copy_from_host_async(np.arange(3), a.nbytes, cp.Stream())
        >>> a
        array([0, 1, 2])
        """
        with stream or contextlib.nullcontext():
            self.copy_from_host(mem, size)

    def copy_from(self, mem: Any, size: int) -> None:
        """Copy from a device or from the host.

        Parameters
        ----------
        mem : MemoryPointer, int, ctypes.c_void_p or numpy.ndarray
            Of a device; of the host an address, or a contiguous array.
        size : int
            Bytes.

        Raises
        ------
        ValueError
            For a negative size, a null address, or an array that is not contiguous or too small.

        Examples
        --------
        >>> import cupola as cp
        >>> import numpy as np
        >>> a = cp.zeros(3, int)
        >>> a.data.copy_from(np.arange(3), a.nbytes)
        >>> a
        array([0, 1, 2])
        """
        if isinstance(mem, MemoryPointer):
            self.copy_from_device(mem, size)
        else:
            self.copy_from_host(mem, size)

    def copy_from_async(self, mem: Any, size: int, stream: Any = None) -> None:
        """Copy from a device or from the host, on a stream.

        Parameters
        ----------
        mem : MemoryPointer, int, ctypes.c_void_p or numpy.ndarray
            As of `copy_from`.
        size : int
            Bytes.
        stream : Stream, optional
            Default: the current one.

        Raises
        ------
        ValueError
            As `copy_from`.

        Examples
        --------
        >>> import cupola as cp
        >>> a, b = cp.arange(3), cp.zeros(3, int)
        >>> b.data.copy_from_async(a.data, a.nbytes, cp.Stream())
        >>> b
        array([0, 1, 2])
        """
        with stream or contextlib.nullcontext():
            self.copy_from(mem, size)

    def copy_to_host(self, mem: Any, size: int) -> None:
        """Copy to the host.

        Parameters
        ----------
        mem : int, ctypes.c_void_p or numpy.ndarray
            An address, or a contiguous array.
        size : int
            Bytes.

        Raises
        ------
        ValueError
            For a negative size, a null address, or an array that is not contiguous or too small.

        Examples
        --------
        >>> import cupola as cp
        >>> import numpy as np
        >>> a, host = cp.arange(3), np.zeros(3, int)
        >>> a.data.copy_to_host(host, a.nbytes)
        >>> host.tolist()
        [0, 1, 2]
        """
        self._bytes(size).get(out=_host_bytes(mem, size))

    def copy_to_host_async(self, mem: Any, size: int, stream: Any = None) -> None:
        """Copy to the host, on a stream; the bytes are there when this returns.

        Parameters
        ----------
        mem : int, ctypes.c_void_p or numpy.ndarray
            An address, or a contiguous array.
        size : int
            Bytes.
        stream : Stream, optional
            Default: the current one.

        Raises
        ------
        ValueError
            As `copy_to_host`.

        Examples
        --------
        >>> import cupola as cp
        >>> import numpy as np
        >>> a, host = cp.arange(3), np.zeros(3, int)
        >>> a.data.copy_to_host_async(host, a.nbytes, cp.Stream())
        >>> host.tolist()
        [0, 1, 2]
        """
        with stream or contextlib.nullcontext():
            self.copy_to_host(mem, size)

    def memset(self, value: int, size: int) -> None:
        """Set every byte to the lowest byte of `value`.

        Parameters
        ----------
        value : int
            Only its lowest 8 bits count.
        size : int
            Bytes.

        Raises
        ------
        ValueError
            For a negative size, or one beyond the memory.

        Examples
        --------
        >>> import cupola as cp
        >>> a = cp.ones(3)
        >>> a.data.memset(0, 16)
        >>> a
        array([0., 0., 1.])
        """
        self._bytes(size).fill(int(value) & 0xFF)

    def memset_async(self, value: int, size: int, stream: Any = None) -> None:
        """Set every byte to the lowest byte of `value`, on a stream.

        Parameters
        ----------
        value : int
            Only its lowest 8 bits count.
        size : int
            Bytes.
        stream : Stream, optional
            Default: the current one.

        Raises
        ------
        ValueError
            As `memset`.

        Examples
        --------
        >>> import cupola as cp
        >>> a = cp.ones(3)
        >>> a.data.memset_async(0, a.nbytes, cp.Stream())
        >>> a
        array([0., 0., 0.])
        """
        with stream or contextlib.nullcontext():
            self.memset(value, size)


def pointer_of(array: ndarray) -> MemoryPointer:
    """What `a.data` is."""
    block, offset = _core.memory_of(array)
    return MemoryPointer(PooledMemory(block), offset)


def _checked(size: int) -> int:
    if size < 0:
        raise ValueError(f"a size in bytes cannot be negative: {size}")
    return size


def _host_bytes(mem: Any, size: int) -> np.ndarray:
    """`size` bytes of host memory as a NumPy array."""
    if isinstance(mem, np.ndarray):
        if not (mem.flags.c_contiguous or mem.flags.f_contiguous):
            raise ValueError("the NumPy array must be contiguous")
        if mem.nbytes < size:
            raise ValueError(f"the NumPy array has {mem.nbytes} bytes, not {size}")
        flat: np.ndarray = mem.ravel("K").view(np.uint8)
        return flat[:size]
    address = mem.value if isinstance(mem, ctypes.c_void_p) else int(mem)
    if not address and size:
        raise ValueError("a null pointer has no bytes")
    buffer: Any = (ctypes.c_uint8 * _checked(size)).from_address(address or 0)
    return np.frombuffer(buffer, np.uint8, size) if size else np.empty(0, np.uint8)
