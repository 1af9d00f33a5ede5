"""The names of the CUDA runtime that CuPy programs call, for devices of the default platform."""

from __future__ import annotations

from typing import Any

from cupola import _cupola as _core
from cupola.cuda.device import get_device_id as getDevice

__all__ = [
    "deviceSynchronize",
    "getDevice",
    "getDeviceCount",
    "getDeviceProperties",
    "memGetInfo",
    "setDevice",
]


def getDeviceCount() -> int:
    """Devices of the default platform."""
    return _core.device_count(_core.default_platform())


def setDevice(device: int) -> None:
    """Make a device of the default platform the thread's current one."""
    _core.Device(device).use()


def deviceSynchronize() -> None:
    """Wait for all work on the current device."""
    _core.current_device().synchronize()


def memGetInfo() -> tuple[int, int]:
    """Free and total bytes of the current device."""
    return _core.current_device().mem_info


def getDeviceProperties(device: int) -> dict[str, Any]:
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
