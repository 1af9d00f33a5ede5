"""CuPy's names for devices, streams and memory. They act on the default platform, so that a program
written for CuPy runs without a GPU as well."""

from __future__ import annotations

from cupola.cuda import compiler, memory, pinned_memory, runtime
from cupola.cuda.device import (
    Device,
    available_gpus,
    get_compute_capability,
    get_device_id,
    is_available,
    is_initialized,
)
from cupola.cuda.memory import (
    BaseMemory,
    CFunctionAllocator,
    ManagedMemory,
    Memory,
    MemoryAsync,
    MemoryAsyncPool,
    MemoryPointer,
    MemoryPool,
    PythonFunctionAllocator,
    UnownedMemory,
    alloc,
    get_allocator,
    get_default_memory_pool,
    malloc_async,
    malloc_managed,
    set_allocator,
    using_allocator,
)
from cupola.cuda.pinned_memory import (
    PinnedMemory,
    PinnedMemoryPointer,
    PinnedMemoryPool,
    alloc_pinned_memory,
    get_default_pinned_memory_pool,
    set_pinned_memory_allocator,
)
from cupola.cuda.stream import (
    Event,
    ExternalStream,
    Stream,
    get_current_stream,
    get_elapsed_time,
)

__all__ = [
    "BaseMemory",
    "CFunctionAllocator",
    "Device",
    "Event",
    "ExternalStream",
    "ManagedMemory",
    "Memory",
    "MemoryAsync",
    "MemoryAsyncPool",
    "MemoryPointer",
    "MemoryPool",
    "PinnedMemory",
    "PinnedMemoryPointer",
    "PinnedMemoryPool",
    "PythonFunctionAllocator",
    "Stream",
    "UnownedMemory",
    "alloc",
    "alloc_pinned_memory",
    "available_gpus",
    "compiler",
    "get_allocator",
    "get_compute_capability",
    "get_current_stream",
    "get_default_memory_pool",
    "get_default_pinned_memory_pool",
    "get_device_id",
    "get_elapsed_time",
    "is_available",
    "is_initialized",
    "malloc_async",
    "malloc_managed",
    "memory",
    "pinned_memory",
    "runtime",
    "set_allocator",
    "set_pinned_memory_allocator",
    "using_allocator",
]
