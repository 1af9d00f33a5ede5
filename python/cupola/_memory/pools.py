"""Memory pools, under CuPy's names."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, NamedTuple

from cupola import _cupola as _core
from cupola._memory.blocks import PooledMemory
from cupola._memory.direct import KINDS, malloc_striped
from cupola._memory.pointers import MemoryPointer

__all__ = ["MemoryAsyncPool", "MemoryPool", "StripedMemoryPool", "get_default_memory_pool"]

Allocator = Callable[[int], Any]


class _Watching(threading.local):
    """What calls of `malloc` of the thread's pools go through; None without memory hooks."""

    malloc: Callable[[Allocator, int], MemoryPointer] | None = None


watching = _Watching()


class Pool:
    """What the pools have in common. They act on the current device."""

    _allocator: Any
    _is_striped = False

    def malloc(self, size: int) -> MemoryPointer:
        """Memory of the current device.

        Parameters
        ----------
        size : int
            Bytes.

        Returns
        -------
        MemoryPointer
            Its first byte. The memory goes back to the pool when nothing refers to it.

        Raises
        ------
        OutOfMemoryError
            With the account of the device.

        Examples
        --------
        >>> import cupola as cp
        >>> pool = cp.cuda.MemoryPool()
        >>> pointer = pool.malloc(1000)
        >>> pointer.mem.size >= 1000
        True
        """
        if watching.malloc is not None:
            return watching.malloc(self.malloc, size)
        return MemoryPointer(PooledMemory(_core.allocate_memory(size, self._allocator)), 0)

    def free_all_blocks(self, stream: Any = None) -> int:
        """Give memory that nothing uses back to the platform.

        Parameters
        ----------
        stream : Stream, optional
            Only what was last used on it. Default: all.

        Returns
        -------
        int
            The bytes.

        Examples
        --------
        >>> import cupola as cp
        >>> pool = cp.cuda.MemoryPool()
        >>> pointer = pool.malloc(1000)
        >>> del pointer
        >>> pool.free_all_blocks() >= 1000
        True
        """
        return int(self._allocator.trim(stream))

    def used_bytes(self) -> int:
        """Bytes handed out.

        Returns
        -------
        int

        Examples
        --------
        >>> import cupola as cp
        >>> pool = cp.cuda.MemoryPool()
        >>> pointer = pool.malloc(1000)
        >>> pool.used_bytes() >= 1000
        True
        """
        return int(self._allocator.statistics()[0])

    def free_bytes(self) -> int:
        """Bytes kept for reuse.

        Returns
        -------
        int

        Examples
        --------
        >>> import cupola as cp
        >>> cp.cuda.MemoryPool().free_bytes()
        0
        """
        return int(self._allocator.statistics()[1])

    def total_bytes(self) -> int:
        """Bytes handed out or kept for reuse.

        Returns
        -------
        int

        Examples
        --------
        >>> import cupola as cp
        >>> pool = cp.cuda.MemoryPool()
        >>> pointer = pool.malloc(1000)
        >>> pool.total_bytes() == pool.used_bytes() + pool.free_bytes()
        True
        """
        used, cached, *_ = self._allocator.statistics()
        return int(used + cached)

    def set_limit(self, size: int | None = None, fraction: float | None = None) -> None:
        """Limit what the pool takes of the current device.

        Parameters
        ----------
        size : int, optional
            Bytes; 0 or None: no limit.
        fraction : float, optional
            From 0 to 1, of the device's memory.

        Raises
        ------
        ValueError
            For both at once, a negative size or a fraction beyond 0 to 1.

        Notes
        -----
        A limit below what is in use frees nothing. Requests fail until enough has been freed.

        Examples
        --------
        >>> import cupola as cp
        >>> pool = cp.cuda.MemoryPool()
        >>> pool.set_limit(1 << 20)
        >>> pool.malloc(2 << 20)  # doctest: +ELLIPSIS
        Traceback (most recent call last):
            ...
        cupola.errors.OutOfMemoryError: ...
        """
        self._allocator.set_limit(size, fraction)

    def get_limit(self) -> int:
        """The limit in bytes; 0: none.

        Returns
        -------
        int

        Examples
        --------
        >>> import cupola as cp
        >>> pool = cp.cuda.MemoryPool()
        >>> pool.set_limit(1 << 20)
        >>> pool.get_limit()
        1048576
        """
        return int(self._allocator.limit())


class SpillCounts(NamedTuple):
    """What a pool has moved between its devices and pinned host memory so far.

    Attributes
    ----------
    arrays_out, bytes_out : int
        What went to the host.
    arrays_in, bytes_in : int
        What came back.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.cuda.MemoryPool(spill=True).spill_counts().bytes_out
    0
    """

    arrays_out: int
    bytes_out: int
    arrays_in: int
    bytes_in: int


class MemoryPool(Pool):
    """Keeps memory for reuse, for each device and stream.

    Parameters
    ----------
    allocator : function, optional
        Where the memory comes from: `malloc_managed`, or a function of the program's own that
        takes bytes and returns a MemoryPointer. Default: the device's memory.
    spill : bool
        When an allocation would fail, for want of memory or by the limit, move whole arrays of the
        pool to pinned host memory, the least recently used first, and bring them back when they
        are used.

    Raises
    ------
    ValueError
        For `spill` with an allocator of the program's own.

    Notes
    -----
    Arrays that are moved keep their addresses, and their bits. Not moved are arrays of 1 MiB and
    less, unless they are divided between devices, arrays whose address others got (DLPack,
    `a.data`, `__cuda_array_interface__`), and memory of `malloc`. What one operation reads and
    writes must fit on the devices together. The first array that is moved is told by a
    `cupola.errors.PerformanceWarning`. Limits and counts are those of the current device.

    Examples
    --------
    >>> pool = cp.cuda.MemoryPool(spill=True)
    >>> pool.set_limit(64 << 20)
    >>> with cp.cuda.using_allocator(pool.malloc):
    ...     a = cp.ones(1000)
    """

    def __init__(self, allocator: Allocator | None = None, *, spill: bool = False) -> None:
        source = "device" if allocator is None else KINDS.get(allocator, allocator)
        if spill and source not in ("device", "striped"):
            raise ValueError("memory of an allocator of the program's own cannot be moved")
        self._spills = bool(spill)
        self._is_striped = source == "striped"
        if not self._spills:
            self._allocator = _core.pooled_allocator(source)
        elif self._is_striped:
            self._allocator = _core.striped_spilling_allocator()
        else:
            self._allocator = _core.spilling_allocator()

    def n_free_blocks(self) -> int:
        """Pieces that the memory kept for reuse is in.

        Returns
        -------
        int

        Examples
        --------
        >>> import cupola as cp
        >>> cp.cuda.MemoryPool().n_free_blocks()
        0
        """
        return int(self._allocator.statistics()[2])

    def free_all_free(self) -> None:
        """The old name of `free_all_blocks`.

        Examples
        --------
        >>> import cupola as cp
        >>> pool = cp.cuda.MemoryPool()
        >>> pool.free_all_free()
        >>> pool.free_bytes()
        0
        """
        self.free_all_blocks()

    @property
    def spill(self) -> bool:
        """Whether arrays are moved to the host."""
        return self._spills

    def spilled_bytes(self) -> int:
        """Bytes of arrays that are on the host now; they count neither as used nor as free.

        Returns
        -------
        int

        Examples
        --------
        >>> import cupola as cp
        >>> pool = cp.cuda.MemoryPool(spill=True)
        >>> pointer = pool.malloc(1000)
        >>> pool.spilled_bytes()
        0
        """
        return int(self._allocator.spill_counts()[5]) if self._spills else 0

    def spill_counts(self) -> SpillCounts:
        """How many arrays, and bytes of them, went to the host and came back.

        Returns
        -------
        SpillCounts
            A tuple of arrays_out, bytes_out, arrays_in and bytes_in; zeros without `spill`.

        Examples
        --------
        >>> import cupola as cp
        >>> pool = cp.cuda.MemoryPool(spill=True)
        >>> pool.spill_counts()
        SpillCounts(arrays_out=0, bytes_out=0, arrays_in=0, bytes_in=0)
        """
        counts = self._allocator.spill_counts() if self._spills else (0, 0, 0, 0)
        return SpillCounts(*counts[:4])


class StripedMemoryPool(MemoryPool):
    """Keeps memory of several devices for reuse: a pool of `malloc_striped`.

    Parameters
    ----------
    spill : bool
        As in `MemoryPool`.

    Notes
    -----
    Limits and counts are those of the current device, which `set_allocator(pool.malloc)` makes all
    devices together: ask for them afterwards.

    Examples
    --------
    >>> pool = cp.cuda.StripedMemoryPool(spill=True)
    >>> with cp.cuda.using_allocator(pool.malloc):
    ...     a = cp.ones(1000)
    """

    def __init__(self, spill: bool = False) -> None:
        super().__init__(malloc_striped, spill=spill)


class _DefaultPool(MemoryPool):
    _spills = False

    def __init__(self) -> None:
        self._allocator = _core.default_allocator()


class MemoryAsyncPool(Pool):
    """Memory of the platform's own stream-ordered allocator, which keeps what is freed.

    Parameters
    ----------
    pool_handles : str
        'current' or 'default': the library's pool of each device.

    Raises
    ------
    ValueError
        For other `pool_handles`.

    Notes
    -----
    The limit is on the bytes handed out. What the platform keeps for reuse is not known: it counts
    as free memory of the device neither here nor there.

    Examples
    --------
    >>> import cupola as cp
    >>> pool = cp.cuda.MemoryAsyncPool()
    >>> with cp.cuda.using_allocator(pool.malloc):
    ...     a = cp.ones(1000)
    >>> pool.used_bytes() >= a.nbytes
    True
    """

    memoryAsyncHasStat = True  # noqa: N815  # CuPy's name: used_bytes() and its relatives work

    def __init__(self, pool_handles: Any = "current") -> None:
        handles = pool_handles if isinstance(pool_handles, list) else [pool_handles]
        if any(handle not in ("current", "default") for handle in handles):
            raise ValueError(
                f"pool_handles is 'current' or 'default', not {pool_handles!r}: pools of others "
                "cannot be used"
            )
        self._allocator = _core.async_allocator()


_default_pool = _DefaultPool()


def get_default_memory_pool() -> MemoryPool:
    """The pool that serves where nobody has chosen; it acts on the current device.

    Returns
    -------
    MemoryPool
        That of all devices of the default platform.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.get_default_memory_pool().used_bytes() >= 0
    True
    """
    return _default_pool
