"""What this installation is and what it runs on: `show_config` and `python -m cupola info`."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from cupola import _cupola as _core
from cupola._version import __version__

__all__ = ["show_config"]


def _devices(name: str) -> list[dict[str, Any]]:
    try:
        count = _core.device_count(name)
    except Exception as error:  # a broken driver is part of the answer
        return [{"device": name, "error": str(error)}]
    return [_core.describe_device(_core.Device(f"{name}:{i}")) for i in range(count)]


def _default_platform() -> str:
    try:
        return str(_core.default_platform())
    except Exception as error:
        return f"none: {error}"


def configuration() -> dict[str, Any]:
    """Versions, folders, devices and settings, as plain values."""
    return {
        "cupola": __version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
        "executable": sys.executable,
        "system": platform.platform(),
        "library": os.path.dirname(os.path.abspath(_core.__file__)),
        "default_platform": _default_platform(),
        "devices": _devices("cpu") + _devices("cuda"),
        "environment": {
            name: value for name, value in sorted(os.environ.items()) if name.startswith("CUPOLA_")
        },
    }


def _gibibytes(count: int) -> str:
    return f"{count / 2**30:.1f} GiB"


def _device_line(device: dict[str, Any]) -> str:
    if "error" in device:
        return f"{device['device']}: {device['error']}"
    text = f"{device['device']}: {device['name']}, {_gibibytes(device['free_memory'])} free of "
    text += _gibibytes(device["total_memory"])
    if device["device"].startswith("cuda"):
        major, minor = device["compute_capability"]
        text += f", compute capability {major}.{minor}, {device['pci_bus_id']}"
    return text


def row(name: str, text: Any) -> str:
    """A line of the description."""
    return f"{name:<17}: {text}"


def describe(values: Mapping[str, Any]) -> str:
    """A `configuration` as lines of text."""
    lines = [
        row(name, values[name])
        for name in ("cupola", "numpy", "python", "system", "library", "default_platform")
    ]
    lines += [row("device", _device_line(device)) for device in values["devices"]]
    lines += [
        row("environment", f"{name}={value}") for name, value in values["environment"].items()
    ]
    return "\n".join(lines)


def show_config(mode: str = "stdout") -> dict[str, Any] | None:
    """Print the versions, devices and settings, or return them with mode='dicts'.

    Parameters
    ----------
    mode : {'stdout', 'dicts'}, optional

    Returns
    -------
    dict or None
        With 'dicts' what it would print.

    Raises
    ------
    AttributeError
        For another mode.

    Examples
    --------
    >>> import cupola as cp
    >>> sorted(cp.show_config("dicts"))[:2]
    ['cupola', 'default_platform']
    """
    if mode == "dicts":
        return configuration()
    if mode != "stdout":
        raise AttributeError(f"Invalid `mode`, use one of: 'stdout', 'dicts' (got {mode!r})")
    print(describe(configuration()))
    return None
