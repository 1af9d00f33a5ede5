"""CuPy's names for devices, of the default platform."""

from __future__ import annotations

from cupola import _cupola as _core
from cupola._cupola import Device

__all__ = [
    "Device",
    "available_gpus",
    "get_compute_capability",
    "get_device_id",
    "is_available",
    "is_initialized",
]


def is_available() -> bool:
    """Whether a CUDA device can be used; initialises nothing."""
    return bool(_core.device_count("cuda") > 0)


def is_initialized() -> bool:
    """Whether this library or another has initialised CUDA in this process; asking does not.

    A process that was forked from one that had has no CUDA, so that this is False there.
    """
    return _core.cuda_is_initialized()


def get_device_id() -> int:
    """The number of the thread's current device."""
    return _core.current_device().id


def available_gpus() -> list[int]:
    """The numbers of the default platform's devices; initialises nothing."""
    return Device.available_gpus()


def get_compute_capability() -> str:
    """The compute capability of the current device, as in "90"; "00" on the CPU."""
    return _core.current_device().compute_capability
