"""Functions that tell modules and devices apart."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _cupola as _core
from cupola._cupola import Device, current_device, current_stream, ndarray
from cupola.errors import DeviceError

if TYPE_CHECKING:
    from cupola._typing import DeviceLike

__all__ = ["all_devices", "current_device", "current_stream", "get_array_module", "synchronize"]


def synchronize(device: DeviceLike = None) -> None:
    """Wait for all work on a device.

    Parameters
    ----------
    device : Device, str or int, optional
        Default: the current device.

    Returns
    -------
    None

    Raises
    ------
    ValueError
        For a device that there is not.

    Examples
    --------
    >>> import cupola as cp
    >>> a = cp.ones(3) + 1
    >>> cp.synchronize()
    """
    _core.synchronize(device)


def all_devices(platform: str | None = None) -> Device:
    """All devices of a platform as one, on which an array may lie that is larger than each.

    Parameters
    ----------
    platform : str, optional
        "cpu" or "cuda"; default: the default platform.

    Returns
    -------
    Device
        A set, for `device=` and `with`; also a sequence of its members. One device stands for
        itself.

    Raises
    ------
    cupola.errors.DeviceError
        If the platform has no devices.

    Examples
    --------
    >>> import cupola as cp
    >>> cp.all_devices().platform in ("cpu", "cuda")
    True
    """
    name = _core.default_platform() if platform is None else platform
    count = _core.device_count(name)
    if count == 0:
        raise DeviceError(f"the platform {name} has no devices here")
    return Device(f"{name}:0-{count - 1}")


def get_array_module(*args: Any) -> ModuleType:
    """`cupola` if one of the arguments is an array of it, else `numpy`.

    Parameters
    ----------
    *args : arrays and other objects

    Returns
    -------
    module
        `cupola` where one of them is an array of this package, else `numpy`.

    Examples
    --------
    >>> import cupola as cp
    >>> import numpy as np
    >>> cp.get_array_module(cp.ones(2)).__name__
    'cupola'
    >>> cp.get_array_module(np.ones(2)).__name__
    'numpy'
    """
    if any(isinstance(arg, ndarray) for arg in args):
        import cupola

        return cupola
    return np


def is_there(device: Device) -> bool:
    """Whether this machine has a device, or all members of a set; initialises nothing."""
    count = _core.device_count(device.platform)
    return all(each.id < count for each in (device.members if device.is_set else [device]))
