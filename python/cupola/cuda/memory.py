"""CuPy's names for memory."""

from __future__ import annotations

from cupola._memory.blocks import (
    BaseMemory,
    ManagedMemory,
    Memory,
    MemoryAsync,
    PooledMemory,
    StripedMemory,
    UnownedMemory,
)
from cupola._memory.choice import alloc, get_allocator, set_allocator, using_allocator
from cupola._memory.direct import malloc_async, malloc_managed, malloc_striped
from cupola._memory.functions import CFunctionAllocator, PythonFunctionAllocator
from cupola._memory.pointers import MemoryPointer
from cupola._memory.pools import (
    MemoryAsyncPool,
    MemoryPool,
    StripedMemoryPool,
    get_default_memory_pool,
)
from cupola.cuda.pinned_memory import (
    PinnedMemory,
    PinnedMemoryPointer,
    PinnedMemoryPool,
    alloc_pinned_memory,
    get_default_pinned_memory_pool,
    set_pinned_memory_allocator,
)
from cupola.errors import OutOfMemoryError

__all__ = [
    "BaseMemory",
    "CFunctionAllocator",
    "ManagedMemory",
    "Memory",
    "MemoryAsync",
    "MemoryAsyncPool",
    "MemoryPointer",
    "MemoryPool",
    "OutOfMemoryError",
    "PinnedMemory",
    "PinnedMemoryPointer",
    "PinnedMemoryPool",
    "PooledMemory",
    "PythonFunctionAllocator",
    "StripedMemory",
    "StripedMemoryPool",
    "UnownedMemory",
    "alloc",
    "alloc_pinned_memory",
    "get_allocator",
    "get_default_memory_pool",
    "get_default_pinned_memory_pool",
    "malloc_async",
    "malloc_managed",
    "malloc_striped",
    "set_allocator",
    "set_pinned_memory_allocator",
    "using_allocator",
]
