"""Which memory new arrays get: of the process, and of a thread within a scope."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

from cupola import _cupola as _core
from cupola._cupola import Device
from cupola._devices.current import all_devices
from cupola._memory import direct
from cupola._memory.blocks import leaf
from cupola._memory.pointers import MemoryPointer
from cupola._memory.pools import Allocator, Pool, get_default_memory_pool, watching

__all__ = ["alloc", "get_allocator", "set_allocator", "using_allocator"]


class _Choice(threading.local):
    """The thread's own allocators, innermost last."""

    def __init__(self) -> None:
        self.stack: list[Allocator] = []


_choice = _Choice()
_process_allocator: Allocator = get_default_memory_pool().malloc


def _resolve(allocator: Allocator | None) -> Any:
    """The library's allocator for a function; None for the default pools."""
    if allocator is None:
        return leaf("device")
    if allocator in direct.KINDS:
        return leaf(direct.KINDS[allocator])
    pool = getattr(allocator, "__self__", None)
    is_watched = watching.malloc is not None
    if isinstance(pool, Pool) and getattr(allocator, "__name__", "") == "malloc" and not is_watched:
        return None if pool is get_default_memory_pool() else pool._allocator
    return _core.leaf_allocator(allocator)


def _is_striped(allocator: Allocator | None) -> bool:
    pool = getattr(allocator, "__self__", None)
    return allocator is direct.malloc_striped or bool(getattr(pool, "_is_striped", False))


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
    _process_allocator = direct.malloc if allocator is None else allocator


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

    Yields
    ------
    None

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
    _choice.stack.append(direct.malloc if allocator is None else allocator)
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
