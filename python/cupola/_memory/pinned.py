"""Host memory that devices read and write by themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cupola import _cupola as _core

if TYPE_CHECKING:
    pass

__all__ = [
    "PinnedMemory",
    "PinnedMemoryPointer",
    "PinnedMemoryPool",
    "alloc_pinned_memory",
    "get_default_pinned_memory_pool",
    "set_pinned_memory_allocator",
]


class PinnedMemory:
    """Pinned host memory, without a pool.

    Parameters
    ----------
    size : int
        Bytes.
    flags : int
        As in CuPy; the memory is portable whatever they say.

    Raises
    ------
    OutOfMemoryError
        Where there is no room.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.cuda.PinnedMemory(1024).size >= 1024
    True
    """

    def __init__(self, size: int, flags: int = 0) -> None:
        self._block = _core.allocate_pinned_unpooled(size)

    @classmethod
    def _of(cls, block: Any) -> PinnedMemory:
        memory = cls.__new__(cls)
        memory._block = block
        return memory

    @property
    def ptr(self) -> int:
        """Address of the first byte."""
        return int(self._block.ptr)

    @property
    def size(self) -> int:
        """Bytes."""
        return int(self._block.size)


class PinnedMemoryPointer(_core.PinnedView):
    """A place in pinned memory. It lends its bytes as a buffer: `np.frombuffer(pointer, dtype)`.

    Parameters
    ----------
    mem : PinnedMemory
        Where it points to.
    offset : int
        Bytes from its start.

    Examples
    --------
    >>> import cupola as cp
    >>> import numpy as np
    >>> pointer = cp.cuda.PinnedMemoryPointer(cp.cuda.PinnedMemory(16), 0)
    >>> np.frombuffer(pointer, "float32", 4).shape
    (4,)
    """

    mem: PinnedMemory

    def __init__(self, mem: PinnedMemory, offset: int) -> None:
        super().__init__(mem._block, offset)
        self.mem = mem

    def size(self) -> int:
        """Bytes from here to the end.

        Returns
        -------
        int

        Examples
        --------
        >>> import cupola as cp
        >>> pointer = cp.cuda.PinnedMemoryPointer(cp.cuda.PinnedMemory(16), 0)
        >>> pointer.size() - (pointer + 4).size()
        4
        """
        return self.mem.size - (self.ptr - self.mem.ptr)

    def __int__(self) -> int:
        return int(self.ptr)

    def __add__(self, offset: int) -> PinnedMemoryPointer:
        return PinnedMemoryPointer(self.mem, self.ptr - self.mem.ptr + offset)

    __radd__ = __add__

    def __sub__(self, offset: int) -> PinnedMemoryPointer:
        return self + -offset


def _malloc(size: int) -> PinnedMemoryPointer:
    return PinnedMemoryPointer(PinnedMemory(size), 0)


class PinnedMemoryPool:
    """Keeps pinned memory for reuse.

    Parameters
    ----------
    allocator : function, optional
        Takes bytes and returns an object with the address as `ptr`. Default: the platform.

    Examples
    --------
    >>> import cupola as cp
    >>> import numpy as np
    >>> pool = cp.cuda.PinnedMemoryPool()
    >>> host = np.frombuffer(pool.malloc(32), "float64", 4)
    >>> pool.used_bytes() >= host.nbytes
    True
    """

    def __init__(self, allocator: Callable[[int], Any] | None = None) -> None:
        self._pool = _core.PinnedPool(None if allocator is _malloc else allocator)

    def malloc(self, size: int) -> PinnedMemoryPointer:
        """Pinned memory, which comes back when no buffer and no copy uses it any more.

        Parameters
        ----------
        size : int
            Bytes.

        Returns
        -------
        PinnedMemoryPointer

        Raises
        ------
        OutOfMemoryError
            Where there is no room.

        Examples
        --------
        >>> import cupola as cp
        >>> pointer = cp.cuda.PinnedMemoryPool().malloc(1000)
        >>> pointer.size() >= 1000
        True
        """
        return PinnedMemoryPointer(PinnedMemory._of(self._pool.malloc(size)), 0)

    def free_all_blocks(self) -> int:
        """Give what nothing uses back to the platform.

        Returns
        -------
        int
            The bytes.

        Examples
        --------
        >>> import cupola as cp
        >>> cp.cuda.PinnedMemoryPool().free_all_blocks()
        0
        """
        return int(self._pool.trim())

    def n_free_blocks(self) -> int:
        """Pieces that the memory kept for reuse is in.

        Returns
        -------
        int

        Examples
        --------
        >>> import cupola as cp
        >>> cp.cuda.PinnedMemoryPool().n_free_blocks()
        0
        """
        return int(self._pool.statistics()[2])

    def used_bytes(self) -> int:
        """Bytes handed out.

        Returns
        -------
        int

        Examples
        --------
        >>> import cupola as cp
        >>> pool = cp.cuda.PinnedMemoryPool()
        >>> pointer = pool.malloc(1000)
        >>> pool.used_bytes() >= 1000
        True
        """
        return int(self._pool.statistics()[0])

    def free_bytes(self) -> int:
        """Bytes kept for reuse.

        Returns
        -------
        int

        Examples
        --------
        >>> import cupola as cp
        >>> cp.cuda.PinnedMemoryPool().free_bytes()
        0
        """
        return int(self._pool.statistics()[1])


class _DefaultPinnedPool(PinnedMemoryPool):
    def __init__(self) -> None:
        self._pool = _core.default_pinned_pool()


_default_pool = _DefaultPinnedPool()
_allocator: Callable[[int], Any] = _default_pool.malloc


def get_default_pinned_memory_pool() -> PinnedMemoryPool:
    """The pool that pinned memory comes from where nobody has chosen.

    Returns
    -------
    PinnedMemoryPool

    Examples
    --------
    >>> import cupola as cp
    >>> cp.get_default_pinned_memory_pool().n_free_blocks() >= 0
    True
    """
    return _default_pool


def set_pinned_memory_allocator(allocator: Callable[[int], Any] | None = None) -> None:
    """Choose where pinned memory comes from.

    Parameters
    ----------
    allocator : function, optional
        Takes bytes and returns a PinnedMemoryPointer. Default: the platform, without a pool.

    Raises
    ------
    TypeError
        For what cannot be called.

    Examples
    --------
    >>> import cupola as cp
    >>> pool = cp.cuda.PinnedMemoryPool()
    >>> cp.cuda.set_pinned_memory_allocator(pool.malloc)
    >>> cp.cuda.alloc_pinned_memory(1024).mem.size >= 1024
    True
    >>> cp.cuda.set_pinned_memory_allocator(cp.get_default_pinned_memory_pool().malloc)
    """
    global _allocator
    if allocator is not None and not callable(allocator):
        raise TypeError("an allocator must be callable")
    _allocator = _malloc if allocator is None else allocator


def alloc_pinned_memory(size: int) -> Any:
    """Pinned memory as a buffer.

    Parameters
    ----------
    size : int
        Bytes.

    Returns
    -------
    PinnedMemoryPointer
        Which `numpy.frombuffer` takes. The memory is given back when nothing refers to it.

    Raises
    ------
    OutOfMemoryError
        Where there is no room.

    Examples
    --------
    >>> import cupola as cp
    >>> import numpy as np
    >>> host = np.frombuffer(cp.cuda.alloc_pinned_memory(32), np.float64, 4)
    >>> host[:] = 2
    >>> cp.asarray(host)
    array([2., 2., 2., 2.])
    """
    return _allocator(size)
