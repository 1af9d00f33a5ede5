"""Allocators made of a program's own functions, under CuPy's names."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from cupola import _cupola as _core
from cupola._cupola import Device
from cupola._memory.blocks import BaseMemory
from cupola._memory.pointers import MemoryPointer, _checked

__all__ = ["CFunctionAllocator", "PythonFunctionAllocator"]


class _FunctionMemory(BaseMemory):
    """What a program's own functions allocate and free."""

    def __init__(self, size: int, device: Device, ptr: int, free: Callable[[int, int], Any]):
        self.size = size
        self.device_id = device.members[0].id  # of several as one: the first
        self.ptr = ptr
        self._device = device
        self._free = free

    @property
    def device(self) -> Device:
        """The device whose memory it is."""
        return self._device

    def __del__(self) -> None:
        if self.ptr:
            self._free(self.ptr, self.device_id)


class PythonFunctionAllocator:
    """An allocator of two functions.

    Parameters
    ----------
    malloc_func : function
        malloc_func(size, device_id) returns an address; 0 or MemoryError: there is no memory.
    free_func : function
        free_func(ptr, device_id), called when the device is done with the memory.

    Examples
    --------
    >>> def malloc(size, device_id):
    ...     return 0
    >>> def free(ptr, device_id):
    ...     pass
    >>> allocator = cp.cuda.PythonFunctionAllocator(malloc, free)
    >>> with cp.cuda.using_allocator(allocator.malloc):
    ...     cp.ones(3)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    cupola.errors.OutOfMemoryError: ...
    """

    def __init__(
        self, malloc_func: Callable[[int, int], int], free_func: Callable[[int, int], Any]
    ) -> None:
        self._malloc = malloc_func
        self._free = free_func

    def malloc(self, size: int) -> MemoryPointer:
        """Memory of the current device.

        Parameters
        ----------
        size : int
            Bytes.

        Returns
        -------
        MemoryPointer

        Raises
        ------
        MemoryError
            Where the function returned 0.
        ValueError
            For a negative size.

        Examples
        --------
        >>> import cupola as cp
        >>> source = cp.cuda.MemoryPool()
        >>> pieces = {}
        >>> def malloc(size, device_id):
        ...     piece = source.malloc(size)
        ...     pieces[piece.ptr] = piece
        ...     return piece.ptr
        >>> def free(ptr, device_id):
        ...     del pieces[ptr]
        >>> allocator = cp.cuda.PythonFunctionAllocator(malloc, free)
        >>> pointer = allocator.malloc(100)
        >>> pointer.mem.size
        100
        >>> del pointer
        >>> pieces
        {}
        """
        device = _core.current_device()
        ptr = self._malloc(_checked(size), device.members[0].id) if size else 0
        if size and not ptr:
            raise MemoryError(f"the allocator's function returned no memory for {size} bytes")
        return MemoryPointer(_FunctionMemory(size, device, int(ptr), self._free), 0)


class CFunctionAllocator(PythonFunctionAllocator):
    """An allocator of two C functions, by their addresses.

    Parameters
    ----------
    param : int
        Passed to both.
    malloc_func : int
        `void *malloc(void *param, size_t size, int device_id)`
    free_func : int
        `void free(void *param, void *ptr, int device_id)`
    owner : object
        Kept as long as the allocator.

    Examples
    --------
    >>> import ctypes
    >>> import cupola as cp
    >>> allocate = ctypes.CFUNCTYPE(
    ...     ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
    ... )(lambda param, size, device_id: 0)
    >>> release = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)(
    ...     lambda param, ptr, device_id: None
    ... )
    >>> addresses = [ctypes.cast(each, ctypes.c_void_p).value for each in (allocate, release)]
    >>> allocator = cp.cuda.CFunctionAllocator(0, *addresses, (allocate, release))
    >>> allocator.malloc(8)
    Traceback (most recent call last):
        ...
    MemoryError: the allocator's function returned no memory for 8 bytes
    """

    def __init__(self, param: int, malloc_func: int, free_func: int, owner: object) -> None:
        pointer, number, size = ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t
        allocate = ctypes.CFUNCTYPE(pointer, pointer, size, number)(malloc_func)
        release = ctypes.CFUNCTYPE(None, pointer, pointer, number)(free_func)
        self._owner = owner
        super().__init__(
            lambda bytes_, device: allocate(param, bytes_, device) or 0,
            lambda ptr, device: release(param, ptr, device),
        )
