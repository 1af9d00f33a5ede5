"""Which devices the workers of a cluster get, and how much memory of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dask.utils import parse_bytes

from cupola import _cupola as _core
from cupola._cupola import Device
from cupola._devices.current import is_there
from cupola.errors import DeviceError

DEFAULT_SHARE = 0.8  # of a device's memory; the rest is for messages and libraries


def known_device(name: Any) -> Device:
    """A device or set that exists here.

    Raises
    ------
    cupola.errors.DeviceError
        With the devices that there are.
    """
    try:
        device = Device(name)
    except (DeviceError, ValueError, TypeError) as error:
        raise DeviceError(f"no worker can use the device {name!r}: {error}") from error
    if not is_there(device):
        count = _core.device_count(device.platform)
        there = ", ".join(f"{device.platform}:{i}" for i in range(count)) or "none"
        raise DeviceError(
            f"no worker can use the device {name!r}: this machine has {count} devices of the "
            f"platform {device.platform} ({there}); CUDA_VISIBLE_DEVICES and CUPOLA_CPU_DEVICES "
            "say which are seen"
        )
    return device


def parse_devices(devices: Any) -> list[Device]:
    """One device for each worker: "all", a name, a device, or a sequence of these."""
    if isinstance(devices, str) and devices in ("all", "cpu", "cuda"):
        platform = _core.default_platform() if devices == "all" else devices
        count = _core.device_count(platform)
        if count == 0:
            raise DeviceError(f"the platform {platform} has no devices here")
        return [Device(f"{platform}:{index}") for index in range(count)]
    if isinstance(devices, (str, int)):
        return [known_device(devices)]
    if isinstance(devices, Device):  # a set is one place for arrays
        return [known_device(devices)]
    if not isinstance(devices, Sequence) or not devices:
        raise ValueError(f'devices are "all", a device or several, not {devices!r}')
    return [known_device(device) for device in devices]


def total_memory(device: Device) -> int:
    """Bytes of a device, or of the members of a set together."""
    members = device.members if device.is_set else [device]
    return sum(int(each.mem_info[1]) for each in members)


def parse_limit(limit: Any, device: Device) -> int:
    """Bytes of the device that arrays may use before some are moved to the host; 0: no limit.

    `limit` is "auto", bytes (10 << 30, "10 GiB"), a fraction from 0 to 1, or None.
    """
    if limit is None or (not isinstance(limit, str) and limit == 0):
        return 0
    if isinstance(limit, str) and limit == "auto":
        return int(total_memory(device) * DEFAULT_SHARE)
    if isinstance(limit, float) and limit <= 1:
        limit = total_memory(device) * limit
    size = parse_bytes(limit)
    if size < 0:
        raise ValueError(f"device_memory_limit is {limit!r}, less than nothing")
    return int(size)


def environment_of(device: Device) -> dict[str, str]:
    """What a process that uses the device is started with.

    All GPUs stay visible, its own first: so arrays of other workers can be received on the device,
    and libraries that take the first GPU take this one.
    """
    if device.platform != "cuda":
        return {}
    own = [each.id for each in device.members] if device.is_set else [device.id]
    others = [i for i in range(_core.device_count("cuda")) if i not in own]
    uuids = [Device(f"cuda:{i}").uuid for i in own + others]
    return {"CUDA_VISIBLE_DEVICES": ",".join(uuids)}


def name_in_worker(device: Device) -> str:
    """The device's name in a process of that environment."""
    if device.platform != "cuda":
        return str(device)
    count = len(device.members) if device.is_set else 1
    return "cuda:0" if count == 1 else f"cuda:0-{count - 1}"
