"""Functions that tell modules and devices apart."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import Device, ndarray

__all__ = ["all_devices", "get_array_module"]


def all_devices(platform: str | None = None) -> list[Device]:
    """The devices of a platform ("cpu" or "cuda"; default: the default platform)."""
    name = _core.default_platform() if platform is None else platform
    return [Device(f"{name}:{i}") for i in range(_core.device_count(name))]


def get_array_module(*args: Any) -> ModuleType:
    """`cupola` if one of the arguments is an array of it, else `numpy`."""
    if any(isinstance(arg, ndarray) for arg in args):
        import cupola

        return cupola
    return np
