"""CuPy's names for devices, streams and memory. They act on the default platform, so that a program
written for CuPy runs without a GPU as well."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cupola.cuda import compiler, device, graph, memory, pinned_memory, stream
from cupola.cuda.device import (
    Device,
    available_gpus,
    get_compute_capability,
    get_cublas_handle,
    get_device_id,
    is_available,
    is_initialized,
)
from cupola.cuda.graph import Graph
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
    StripedMemory,
    StripedMemoryPool,
    UnownedMemory,
    alloc,
    get_allocator,
    get_default_memory_pool,
    malloc_async,
    malloc_managed,
    malloc_striped,
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

if TYPE_CHECKING:
    from cupola.cuda import cub as cub
    from cupola.cuda import driver as driver
    from cupola.cuda import function as function
    from cupola.cuda import memory_hook as memory_hook
    from cupola.cuda import memory_hooks as memory_hooks
    from cupola.cuda import nccl as nccl
    from cupola.cuda import nvrtc as nvrtc
    from cupola.cuda import nvtx as nvtx
    from cupola.cuda import profiler as profiler
    from cupola.cuda import runtime as runtime
    from cupola.cuda import texture as texture
    from cupola.cuda import thrust as thrust
    from cupola.cuda.environment import get_cuda_path as get_cuda_path
    from cupola.cuda.environment import get_hipcc_path as get_hipcc_path
    from cupola.cuda.environment import get_local_runtime_version as get_local_runtime_version
    from cupola.cuda.environment import get_nvcc_path as get_nvcc_path
    from cupola.cuda.environment import get_rocm_path as get_rocm_path
    from cupola.cuda.environment import profile as profile
    from cupola.cuda.function import Function as Function
    from cupola.cuda.function import Module as Module
    from cupola.cuda.memory_hook import MemoryHook as MemoryHook

_MODULE_OF = {
    **dict.fromkeys(
        (
            *("get_cuda_path", "get_hipcc_path", "get_local_runtime_version", "get_nvcc_path"),
            *("get_rocm_path", "profile"),
        ),
        "environment",
    ),
    "Function": "function",
    "MemoryHook": "memory_hook",
    "Module": "function",
}
_MODULES = (
    *("cub", "driver", "function", "memory_hook", "memory_hooks", "nccl", "nvrtc", "nvtx"),
    *("profiler", "runtime", "texture", "thrust"),
)

if not TYPE_CHECKING:  # which would allow every name

    def __getattr__(name: str) -> Any:
        """What is seldom used is loaded when first asked for."""
        from importlib import import_module

        if name in _MODULES:
            return import_module(f"cupola.cuda.{name}")
        if name in _MODULE_OF:
            return getattr(import_module(f"cupola.cuda.{_MODULE_OF[name]}"), name)
        from cupola._cupy.differences import absence

        raise AttributeError(absence("cupy.cuda", name))


__all__ = [
    "BaseMemory",
    "CFunctionAllocator",
    "Device",
    "Event",
    "ExternalStream",
    "Function",
    "Graph",
    "ManagedMemory",
    "Memory",
    "MemoryAsync",
    "MemoryAsyncPool",
    "MemoryHook",
    "MemoryPointer",
    "MemoryPool",
    "Module",
    "PinnedMemory",
    "PinnedMemoryPointer",
    "PinnedMemoryPool",
    "PythonFunctionAllocator",
    "Stream",
    "StripedMemory",
    "StripedMemoryPool",
    "UnownedMemory",
    "alloc",
    "alloc_pinned_memory",
    "available_gpus",
    "compiler",
    "cub",
    "device",
    "driver",
    "function",
    "get_allocator",
    "get_compute_capability",
    "get_cublas_handle",
    "get_cuda_path",
    "get_current_stream",
    "get_default_memory_pool",
    "get_default_pinned_memory_pool",
    "get_device_id",
    "get_elapsed_time",
    "get_hipcc_path",
    "get_local_runtime_version",
    "get_nvcc_path",
    "get_rocm_path",
    "graph",
    "is_available",
    "is_initialized",
    "malloc_async",
    "malloc_managed",
    "malloc_striped",
    "memory",
    "memory_hook",
    "memory_hooks",
    "nccl",
    "nvrtc",
    "nvtx",
    "pinned_memory",
    "profile",
    "profiler",
    "runtime",
    "set_allocator",
    "set_pinned_memory_allocator",
    "stream",
    "texture",
    "thrust",
    "using_allocator",
]
