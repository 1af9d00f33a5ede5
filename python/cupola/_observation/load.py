"""What the devices of this process hold and do, looked at from time to time."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import asdict, dataclass
from typing import Any

from cupola import _cupola as _core


@dataclass(frozen=True)
class DeviceLoad:
    """One device. Memory in bytes."""

    device: str
    name: str
    total: int
    free: int
    live: int  # of arrays of this process
    cached: int  # that its pools keep for reuse
    others: int  # of other processes, and what CUDA itself takes
    streams: int  # of this process, that something was done on
    busy_streams: int  # of them, with work under way


@dataclass(frozen=True)
class Load:
    """One process at one time. Counts and bytes are sums since the watch began."""

    pid: int
    program: str
    seconds: float  # of a clock that only runs forward
    devices: list[DeviceLoad]
    kernels: int
    kernel_bytes: int
    to_device: int
    to_host: int
    between_devices: int
    in_flight: int  # bytes that copies under way hold

    def as_dict(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)


@dataclass(frozen=True)
class Rates:
    """Between two looks, for each second."""

    kernels: float
    kernel_bytes: float
    to_device: float
    to_host: float
    between_devices: float


def _program() -> str:
    return " ".join([os.path.basename(sys.argv[0] or "python"), *sys.argv[1:]])[:200]


def _device_load(device: Any, streams: dict[str, tuple[int, int]]) -> DeviceLoad:
    account = _core.memory_account(device)
    name = str(device)
    count, busy = streams.get(name, (0, 0))
    return DeviceLoad(
        device=name,
        name=_core.describe_device(device)["name"],
        streams=count,
        busy_streams=busy,
        **account,
    )


def look() -> Load:
    """The load now, of the default platform. Waits for no device."""
    platform = _core.default_platform()
    streams = {str(device): (count, busy) for device, count, busy in _core.stream_loads(platform)}
    devices = [_core.Device(f"{platform}:{i}") for i in range(_core.device_count(platform))]
    return Load(
        pid=os.getpid(),
        program=_program(),
        seconds=time.monotonic(),
        devices=[_device_load(device, streams) for device in devices],
        in_flight=_core.in_flight()[1],
        **_core.metered_traffic(),
    )


def load_from(values: dict[str, Any]) -> Load:
    """What `Load.as_dict` gave. KeyError or TypeError where that is not so."""
    devices = [DeviceLoad(**each) for each in values["devices"]]
    return Load(**{**values, "devices": devices})


def rates(before: Load | None, now: Load) -> Rates:
    """What happened between them; all zero without the first."""
    if before is None or before.pid != now.pid or now.seconds <= before.seconds:
        return Rates(0, 0, 0, 0, 0)
    seconds = now.seconds - before.seconds
    return Rates(
        *(
            (getattr(now, name) - getattr(before, name)) / seconds
            for name in ("kernels", "kernel_bytes", "to_device", "to_host", "between_devices")
        )
    )
