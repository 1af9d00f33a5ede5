"""Which worker gets which device."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterable
from typing import Any, TypeAlias

from cupola import _cupola as _core
from cupola._cupola import Device
from cupola._devices.current import is_there
from cupola.errors import DeviceError

Devices: TypeAlias = Iterable[Device | str | int] | str | None


def devices_from(devices: Devices) -> list[Device]:
    """The devices that are meant: some, "all" of the default platform, or none."""
    if devices is None:
        return []
    if devices == "all":
        platform = _core.default_platform()
        return [Device(f"{platform}:{i}") for i in range(_core.device_count(platform))]
    if isinstance(devices, str):
        raise ValueError(f"devices is a sequence of devices or 'all', not {devices!r}")
    result = [Device(device) for device in devices]
    if not result:
        raise ValueError("devices is empty; None asks for none")
    for device in result:
        if not is_there(device):  # a pool would start its worker again and again
            raise DeviceError(f"no worker can use {device}: this machine does not have it")
    return result


class PlacingContext:
    """A context whose processes get one device each, the one with the fewest live processes."""

    def __init__(self, context: Any, devices: list[Device], isolated: bool) -> None:
        self._context = context
        self._devices = devices
        self._isolated = isolated
        self._lock = threading.Lock()
        self._workers: list[tuple[weakref.ref[Any], int]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def Process(self, *args: Any, **kwargs: Any) -> Any:  # noqa: N802
        """A process on the next device."""
        with self._lock:
            index = self._least_used()
            process = self._context.Process(
                *args, **kwargs, device=self._devices[index], isolated=self._isolated
            )
            self._workers.append((weakref.ref(process), index))
        return process

    def _least_used(self) -> int:
        self._workers = [each for each in self._workers if _is_live(each[0]())]
        counts = [0] * len(self._devices)
        for _, index in self._workers:
            counts[index] += 1
        return counts.index(min(counts))


def _is_live(process: Any) -> bool:
    if process is None:
        return False
    try:
        return process.exitcode is None
    except ValueError:  # closed
        return False


def placing(context: Any, devices: list[Device], isolated: bool) -> Any:
    """The context itself where there are no devices to give out."""
    return PlacingContext(context, devices, isolated) if devices else context
