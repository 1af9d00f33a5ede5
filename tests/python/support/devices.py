"""The devices that tests find."""

from typing import Any

from cupola_under_test import cp


def all_devices() -> list[Any]:
    """Every device of this process: those of the default platform, then the CPU's."""
    default = cp.Device().platform
    count = cp.cuda.runtime.getDeviceCount()
    result = [cp.Device(f"{default}:{i}") for i in range(count)]
    return result if default == "cpu" else [*result, cp.Device("cpu:0")]
