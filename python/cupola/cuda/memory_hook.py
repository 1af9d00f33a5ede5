"""Functions of a program that are told what memory its arrays take and give back."""

from __future__ import annotations

import contextlib
import threading
from types import TracebackType
from typing import Any, Self

from cupola._memory.blocks import BaseMemory
from cupola._memory.choice import get_allocator, using_allocator
from cupola._memory.pointers import MemoryPointer
from cupola._memory.pools import MemoryPool, watching

__all__ = ["MemoryHook"]

_UNIT = 512  # bytes that the sizes of pools are multiples of


class _Hooks(threading.local):
    """The thread's own, by name."""

    def __init__(self) -> None:
        self.by_name: dict[str, MemoryHook] = {}
        self.scope = contextlib.ExitStack()


_hooks = _Hooks()


def _tell(event: str, **facts: Any) -> None:
    for hook in tuple(_hooks.by_name.values()):
        getattr(hook, event)(**facts)


class _HookedMemory(BaseMemory):
    """Memory of another allocator; tells the hooks of the thread that gives it back."""

    def __init__(self, pointer: MemoryPointer, rounded: int) -> None:
        self._pointer: MemoryPointer | None = pointer
        self.ptr = pointer.ptr
        self.size = pointer.mem.size
        self.device_id = pointer.device_id
        self._rounded = rounded

    def __del__(self) -> None:
        facts: dict[str, Any] = {
            "device_id": self.device_id,
            "mem_size": self._rounded,
            "mem_ptr": self.ptr,
            "pmem_id": id(self),
        }
        _tell("free_preprocess", **facts)
        self._pointer = None
        _tell("free_postprocess", **facts)


class _HookedAllocator:
    """Another allocator, whose calls the thread's hooks are told."""

    def __init__(self, malloc: Any) -> None:
        self._malloc = malloc
        pool = getattr(malloc, "__self__", None)
        self._pool = pool if isinstance(pool, MemoryPool) else None

    def malloc(self, size: int) -> MemoryPointer:
        from cupola import _cupola as _core

        device_id = _core.current_device().id
        rounded = -(-size // _UNIT) * _UNIT
        _tell("malloc_preprocess", device_id=device_id, size=size, mem_size=rounded)
        before = self._pool.total_bytes() if self._pool is not None else 0
        pointer = self._unwatched(size)
        acquired = self._pool.total_bytes() - before if self._pool is not None else rounded
        if acquired > 0:
            _tell("alloc_preprocess", device_id=device_id, mem_size=acquired)
            _tell("alloc_postprocess", device_id=device_id, mem_size=acquired, mem_ptr=pointer.ptr)
        memory = _HookedMemory(pointer, rounded)
        _tell(
            "malloc_postprocess",
            device_id=device_id,
            size=size,
            mem_size=rounded,
            mem_ptr=pointer.ptr,
            pmem_id=id(memory),
        )
        return MemoryPointer(memory, 0)

    def _unwatched(self, size: int) -> MemoryPointer:
        """Memory of the other allocator, whose pool tells no hooks again."""
        watching.malloc = None
        try:
            return self._malloc(size)
        finally:
            watching.malloc = _watched


def _watched(malloc: Any, size: int) -> MemoryPointer:
    """A call of a pool's `malloc`, which the thread's hooks are told."""
    return _HookedAllocator(malloc).malloc(size)


class MemoryHook:
    """A `with` scope in which methods of a subclass are told of the thread's memory.

    `malloc_preprocess` and `malloc_postprocess` are called around each request of an array and each
    call of a pool's `malloc`, `free_preprocess`
    and `free_postprocess` when memory goes back in a thread where the hook is active,
    `alloc_preprocess` and `alloc_postprocess`, both of them afterwards, when a pool took memory of
    the device. All arguments are keywords: `device_id`, `size` (bytes asked for), `mem_size` (bytes
    taken), `mem_ptr` (address) and `pmem_id` (a number that a piece keeps until it goes back).

    Raises
    ------
    KeyError
        On entering, when a hook of the same name is active in the thread.

    Notes
    -----
    Pending arrays take memory when they are evaluated. `cupola.memory_history` records the memory
    of all threads without hooks.

    Examples
    --------
    >>> class Sum(cp.cuda.MemoryHook):
    ...     name = "Sum"
    ...     total = 0
    ...
    ...     def malloc_postprocess(self, **facts):
    ...         self.total += facts["size"]
    >>> with Sum() as hook:
    ...     a = cp.zeros(100)
    ...     cp.eval(a)
    >>> hook.total
    800
    """

    name = "MemoryHook"

    def __enter__(self) -> Self:
        active = _hooks.by_name
        if self.name in active:
            raise KeyError(f"memory hook {self.name} already exists")
        if not active:
            hooked = _HookedAllocator(get_allocator())
            _hooks.scope.enter_context(using_allocator(hooked.malloc))
            watching.malloc = _watched
        active[self.name] = self
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        del _hooks.by_name[self.name]
        if not _hooks.by_name:
            watching.malloc = None
            _hooks.scope.close()

    def alloc_preprocess(self, **kwargs: Any) -> None:
        """Called when memory of the device is taken.

        Parameters
        ----------
        device_id : int
            Number of the device.
        mem_size : int
            Bytes that are taken.

        Examples
        --------
        >>> import cupola as cp
        >>> class Printing(cp.cuda.MemoryHook):
        ...     def alloc_preprocess(self, **facts):
        ...         print(*facts)
        >>> pool = cp.cuda.MemoryPool()
        >>> with cp.cuda.using_allocator(pool.malloc), Printing():
        ...     pointer = pool.malloc(100)
        device_id mem_size
        """

    def alloc_postprocess(self, **kwargs: Any) -> None:
        """Called when memory of the device was taken.

        Parameters
        ----------
        device_id : int
            Number of the device.
        mem_size : int
            Bytes that are taken.
        mem_ptr : int
            Address of the first byte.

        Examples
        --------
        >>> import cupola as cp
        >>> class Printing(cp.cuda.MemoryHook):
        ...     def alloc_postprocess(self, **facts):
        ...         print(*facts)
        >>> pool = cp.cuda.MemoryPool()
        >>> with cp.cuda.using_allocator(pool.malloc), Printing():
        ...     pointer = pool.malloc(100)
        device_id mem_size mem_ptr
        """

    def malloc_preprocess(self, **kwargs: Any) -> None:
        """Called when an array asks for memory.

        Parameters
        ----------
        device_id : int
            Number of the device.
        size : int
            Bytes that were asked for.
        mem_size : int
            Bytes that are taken.

        Examples
        --------
        >>> import cupola as cp
        >>> class Printing(cp.cuda.MemoryHook):
        ...     def malloc_preprocess(self, **facts):
        ...         print(facts["size"], facts["mem_size"])
        >>> with Printing():
        ...     pointer = cp.cuda.alloc(100)
        100 512
        """

    def malloc_postprocess(self, **kwargs: Any) -> None:
        """Called when an array got memory.

        Parameters
        ----------
        device_id : int
            Number of the device.
        size : int
            Bytes that were asked for.
        mem_size : int
            Bytes that are taken.
        mem_ptr : int
            Address of the first byte.
        pmem_id : int
            A number that the piece keeps until it goes back.

        Examples
        --------
        >>> import cupola as cp
        >>> class Printing(cp.cuda.MemoryHook):
        ...     def malloc_postprocess(self, **facts):
        ...         print(*facts)
        >>> with Printing():
        ...     pointer = cp.cuda.alloc(100)
        device_id size mem_size mem_ptr pmem_id
        """

    def free_preprocess(self, **kwargs: Any) -> None:
        """Called when memory is about to go back.

        Parameters
        ----------
        device_id : int
            Number of the device.
        mem_size : int
            Bytes that are taken.
        mem_ptr : int
            Address of the first byte.
        pmem_id : int
            A number that the piece keeps until it goes back.

        Examples
        --------
        >>> import cupola as cp
        >>> class Printing(cp.cuda.MemoryHook):
        ...     def free_preprocess(self, **facts):
        ...         print(facts["mem_size"])
        >>> with Printing():
        ...     pointer = cp.cuda.alloc(100)
        ...     del pointer
        512
        """

    def free_postprocess(self, **kwargs: Any) -> None:
        """Called when memory went back.

        Parameters
        ----------
        device_id : int
            Number of the device.
        mem_size : int
            Bytes that are taken.
        mem_ptr : int
            Address of the first byte.
        pmem_id : int
            A number that the piece keeps until it goes back.

        Examples
        --------
        >>> import cupola as cp
        >>> class Printing(cp.cuda.MemoryHook):
        ...     def free_postprocess(self, **facts):
        ...         print(*facts)
        >>> with Printing():
        ...     pointer = cp.cuda.alloc(100)
        ...     del pointer
        device_id mem_size mem_ptr pmem_id
        """
