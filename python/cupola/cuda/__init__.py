"""CuPy's names for devices, streams and memory. They act on the default platform, so that a program
written for CuPy runs without a GPU as well."""

from __future__ import annotations

from cupola.cuda import runtime
from cupola.cuda.device import Device, get_device_id, is_available
from cupola.cuda.memory import MemoryPool, get_default_memory_pool
from cupola.cuda.stream import Stream, get_current_stream

__all__ = [
    "Device",
    "MemoryPool",
    "Stream",
    "get_current_stream",
    "get_default_memory_pool",
    "get_device_id",
    "is_available",
    "runtime",
]
