"""Memory pools, and the choice of where arrays come from, under CuPy's names."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from cupola import _cupola as _core
from cupola._cupola import Device
from cupola._devices.current import all_devices
from cupola._memory.pointers import (
    ManagedMemory,
    Memory,
    MemoryAsync,
    MemoryPointer,
    PooledMemory,
    StripedMemory,
    _leaf,
)

__all__ = [
    "MemoryAsyncPool",
    "MemoryPool",
    "StripedMemoryPool",
    "alloc",
    "get_allocator",
    "get_default_memory_pool",
    "malloc_async",
    "malloc_managed",
    "malloc_striped",
    "set_allocator",
    "using_allocator",
]

Allocator = Callable[[int], Any]


def _malloc(size: int) -> MemoryPointer:
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
_KINDS: dict[Any, str] = {
    _malloc: "device",
    malloc_managed: "managed",
    malloc_striped: "striped",
    malloc_async: "async",
}


class _Pool:
    """What the pools have in common. They act on the current device."""

    _allocator: Any
    _is_striped = False

    def malloc(self, size: int) -> MemoryPointer:
        """Memory of the current device.

        Raises
        ------
        cupola.errors.OutOfMemoryError
            With the account of the device.
        """
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
        """
        return int(self._allocator.trim(stream))

    def used_bytes(self) -> int:
        """Bytes handed out."""
        return int(self._allocator.statistics()[0])

    def free_bytes(self) -> int:
        """Bytes kept for reuse."""
        return int(self._allocator.statistics()[1])

    def total_bytes(self) -> int:
        """Bytes handed out or kept for reuse."""
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
        """
        self._allocator.set_limit(size, fraction)

    def get_limit(self) -> int:
        """The limit in bytes; 0: none."""
        return int(self._allocator.limit())


class SpillCounts(NamedTuple):
    """What a pool has moved between its devices and pinned host memory so far."""

    arrays_out: int
    bytes_out: int
    arrays_in: int
    bytes_in: int


class MemoryPool(_Pool):
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
        source = "device" if allocator is None else _KINDS.get(allocator, allocator)
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
        """Pieces that the memory kept for reuse is in."""
        return int(self._allocator.statistics()[2])

    def free_all_free(self) -> None:
        """The old name of `free_all_blocks`."""
        self.free_all_blocks()

    @property
    def spill(self) -> bool:
        """Whether arrays are moved to the host."""
        return self._spills

    def spilled_bytes(self) -> int:
        """Bytes of arrays that are on the host now; they count neither as used nor as free."""
        return int(self._allocator.spill_counts()[5]) if self._spills else 0

    def spill_counts(self) -> SpillCounts:
        """How many arrays, and bytes of them, went to the host and came back."""
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


class MemoryAsyncPool(_Pool):
    """Memory of the platform's own stream-ordered allocator, which keeps what is freed.

    Parameters
    ----------
    pool_handles : str
        'current' or 'default': the library's pool of each device.

    Notes
    -----
    The limit is on the bytes handed out. What the platform keeps for reuse is not known: it counts
    as free memory of the device neither here nor there.
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


class _Choice(threading.local):
    """The thread's own allocators, innermost last."""

    def __init__(self) -> None:
        self.stack: list[Allocator] = []


_choice = _Choice()
_process_allocator: Allocator = _default_pool.malloc


def _resolve(allocator: Allocator | None) -> Any:
    """The library's allocator for a function; None for the default pools."""
    if allocator is None:
        return _leaf("device")
    if allocator in _KINDS:
        return _leaf(_KINDS[allocator])
    pool = getattr(allocator, "__self__", None)
    if isinstance(pool, _Pool) and getattr(allocator, "__name__", "") == "malloc":
        return None if pool is _default_pool else pool._allocator
    return _core.leaf_allocator(allocator)


def _is_striped(allocator: Allocator | None) -> bool:
    pool = getattr(allocator, "__self__", None)
    return allocator is malloc_striped or bool(getattr(pool, "_is_striped", False))


# The default device before a striped allocator came.
_plain_default: Device | None = None


def _spread(striped: bool) -> None:
    """Makes all devices together the default one, or takes that back."""
    global _plain_default
    if striped and _plain_default is None:
        default = _core.default_device()
        if not default.is_set:
            _plain_default = default
            _core.set_default_device(all_devices(default.platform))
    elif not striped and _plain_default is not None:
        _core.set_default_device(_plain_default)
        _plain_default = None


def set_allocator(allocator: Allocator | None = None) -> None:
    """Choose where the memory of new arrays comes from, for all threads.

    Parameters
    ----------
    allocator : function, optional
        Takes bytes and returns a MemoryPointer, as `MemoryPool.malloc` does. Default: the
        platform, without a pool.

    Raises
    ------
    ValueError
        Within `using_allocator`.
    TypeError
        For what cannot be called.

    Examples
    --------
    >>> import cupola as cp
    >>> before, pool = cp.cuda.get_allocator(), cp.cuda.MemoryPool()
    >>> cp.cuda.set_allocator(pool.malloc)
    >>> a = cp.ones(1000)
    >>> pool.used_bytes() >= a.nbytes
    True
    >>> cp.cuda.set_allocator(before)
    """
    global _process_allocator
    if _choice.stack:
        raise ValueError("set_allocator cannot be called within using_allocator")
    _core.set_allocator(_resolve(allocator))
    _spread(_is_striped(allocator))
    _process_allocator = _malloc if allocator is None else allocator


def get_allocator() -> Allocator:
    """The function that the calling thread's new arrays get memory from.

    Returns
    -------
    function
        Takes bytes and returns a MemoryPointer: that of the innermost `using_allocator`, else that
        of `set_allocator`, else the default pool's.

    Examples
    --------
    >>> import cupola as cp
    >>> pool = cp.cuda.MemoryPool()
    >>> with cp.cuda.using_allocator(pool.malloc):
    ...     cp.cuda.get_allocator() == pool.malloc
    True
    """
    return _choice.stack[-1] if _choice.stack else _process_allocator


@contextlib.contextmanager
def using_allocator(allocator: Allocator | None = None) -> Iterator[None]:
    """Choose where the memory of new arrays comes from, for this thread and a `with` block.

    Parameters
    ----------
    allocator : function, optional
        As of `set_allocator`.

    Raises
    ------
    TypeError
        For what cannot be called.

    Examples
    --------
    >>> import cupola as cp
    >>> pool = cp.cuda.MemoryPool()
    >>> with cp.cuda.using_allocator(pool.malloc):
    ...     a = cp.ones(1000)
    >>> pool.used_bytes() >= a.nbytes
    True
    """
    _core.push_allocator(_resolve(allocator))
    _choice.stack.append(_malloc if allocator is None else allocator)
    device = _core.current_device()
    spreads = _is_striped(allocator) and not device.is_set
    try:
        with all_devices(device.platform) if spreads else contextlib.nullcontext():
            yield
    finally:
        _choice.stack.pop()
        _core.pop_allocator()


def alloc(size: int) -> MemoryPointer:
    """Memory of the current device from the thread's allocator.

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
    >>> cp.cuda.alloc(1024).mem.size >= 1024
    True
    """
    pointer: MemoryPointer = get_allocator()(size)
    return pointer
