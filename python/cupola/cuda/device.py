"""CuPy's names for devices, of the default platform."""

from __future__ import annotations

from cupola import _cupola as _core
from cupola._cupola import Device

__all__ = ["Device", "get_device_id", "is_available"]


def is_available() -> bool:
    """Whether a CUDA device can be used; initialises nothing."""
    return bool(_core.device_count("cuda") > 0)


def get_device_id() -> int:
    """The number of the thread's current device."""
    return _core.current_device().id
