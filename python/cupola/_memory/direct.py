"""Memory of the platform, without a pool, as allocators give it."""

from __future__ import annotations

from typing import Any

from cupola._memory.blocks import ManagedMemory, Memory, MemoryAsync, StripedMemory
from cupola._memory.pointers import MemoryPointer

__all__ = ["malloc_async", "malloc_managed", "malloc_striped"]


def malloc(size: int) -> MemoryPointer:
    """Memory of the current device, without a pool."""
    return MemoryPointer(Memory(size), 0)


def malloc_managed(size: int) -> MemoryPointer:
    """Managed memory, without a pool: it moves between the host and the devices as it is used.

    Parameters
    ----------
    size : int
        Bytes.

    Returns
    -------
    MemoryPointer
        Its first byte. The memory is given back when nothing refers to it.

    Raises
    ------
    OutOfMemoryError
        Where there is no room.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.cuda.malloc_managed(1024).mem.size >= 1024
    True
    """
    return MemoryPointer(ManagedMemory(size), 0)


def malloc_striped(size: int) -> MemoryPointer:
    """Memory of several devices, without a pool, divided by what each has free.

    Of the members of the current device where that is a set, else of all devices of its platform.
    While it, or a pool of it, serves new arrays, these are made on all devices together, unless
    the program chose a device: an array may be larger than any one of them. Where all arrays
    together are larger than the devices, see `StripedMemoryPool(spill=True)`.

    Parameters
    ----------
    size : int
        Bytes.

    Returns
    -------
    MemoryPointer
        Its first byte. The memory is given back when nothing refers to it.

    Raises
    ------
    OutOfMemoryError
        Where there is no room.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.cuda.malloc_striped(1024).mem.size >= 1024
    True
    """
    return MemoryPointer(StripedMemory(size), 0)


def malloc_async(size: int) -> MemoryPointer:
    """Memory from the platform's own stream-ordered allocator, in the order of the current stream.

    Parameters
    ----------
    size : int
        Bytes.

    Returns
    -------
    MemoryPointer
        Its first byte. The memory is given back when nothing refers to it.

    Raises
    ------
    OutOfMemoryError
        Where there is no room.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.cuda.malloc_async(1024).mem.size >= 1024
    True
    """
    return MemoryPointer(MemoryAsync(size), 0)


# Functions whose memory the library can get without calling them.
KINDS: dict[Any, str] = {
    malloc: "device",
    malloc_managed: "managed",
    malloc_striped: "striped",
    malloc_async: "async",
}
