"""CuPy's names for devices and streams. They act on the default platform, so that a program
written for CuPy runs without a GPU as well."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from cupola import _cupola as _core
from cupola._cupola import Device, Stream
from cupola._namespace import current_stream as get_current_stream

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


def is_available() -> bool:
    """Whether a CUDA device can be used; initialises nothing."""
    return bool(_core.device_count("cuda") > 0)


def get_device_id() -> int:
    """The number of the thread's current device."""
    return _core.current_device().id


def _device_count() -> int:
    """Devices of the default platform."""
    return _core.device_count(_core.default_platform())


def _set_device(device: int) -> None:
    """Make a device of the default platform the thread's current one."""
    _core.Device(device).use()


def _device_synchronize() -> None:
    """Wait for all work on the current device."""
    _core.current_device().synchronize()


def _memory_info() -> tuple[int, int]:
    """Free and total bytes of the current device."""
    return _core.current_device().mem_info


def _device_properties(device: int) -> dict[str, Any]:
    """Name, memory, compute capability and the like."""
    attributes = _core.Device(device).attributes
    major, minor = attributes["compute_capability"]
    return {
        "name": attributes["name"].encode(),
        "totalGlobalMem": attributes["total_memory"],
        "major": major,
        "minor": minor,
        "multiProcessorCount": attributes["multiprocessors"],
    }


runtime = SimpleNamespace(
    getDeviceCount=_device_count,
    getDevice=get_device_id,
    setDevice=_set_device,
    deviceSynchronize=_device_synchronize,
    memGetInfo=_memory_info,
    getDeviceProperties=_device_properties,
)


class MemoryPool:
    """CuPy's view of the memory that the library keeps for reuse on the current device."""

    def free_all_blocks(self, stream: Any = None) -> int:
        """Give cached memory back to the platform; returns the bytes."""
        return int(_core.release_cached_memory(_core.current_device()))

    def used_bytes(self) -> int:
        """Bytes of live arrays."""
        return int(_core.memory_statistics(_core.current_device())[0])

    def free_bytes(self) -> int:
        """Bytes held for reuse."""
        return int(_core.memory_statistics(_core.current_device())[1])

    def total_bytes(self) -> int:
        """Bytes of both."""
        return self.used_bytes() + self.free_bytes()


_pool = MemoryPool()


def get_default_memory_pool() -> MemoryPool:
    """The pool; it is the same for all devices and acts on the current one."""
    return _pool
