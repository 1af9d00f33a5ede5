"""Starts and stops NVIDIA's profilers where they wait for it; on the CPU there are none."""

from __future__ import annotations

import ctypes

from cupola import _cupola as _core
from cupola.errors import DeviceError

__all__ = ["start", "stop"]


def _call(name: str) -> None:
    """A function of CUDA's driver, in the context of the current device."""
    device = _core.current_device()
    if device.platform != "cuda":
        return
    device.synchronize()  # makes the context where there is none
    status = int(getattr(ctypes.CDLL("libcuda.so.1"), name)())
    if status:
        raise DeviceError(f"{name} failed with status {status}")


def start() -> None:
    """Let a profiler record from here."""
    _call("cuProfilerStart")


def stop() -> None:
    """Let a profiler stop."""
    _call("cuProfilerStop")
