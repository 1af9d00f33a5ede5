"""What a program runs on, as text."""

from __future__ import annotations

import platform
from typing import Any

import numpy as np

from cupola._observation.config import configuration
from cupola._version import __version__
from cupola.cuda import get_cuda_path, runtime

__all__ = ["get_runtime_info"]


class _RuntimeInfo:
    """Versions and devices as attributes; `str` gives a table."""

    def __init__(self, full: bool) -> None:
        self.full = full
        self.cupy_version = __version__
        self.numpy_version = np.__version__
        self.python_version = platform.python_version()
        self.platform = platform.platform()
        self.cuda_path = get_cuda_path()
        self.cuda_driver_version = runtime.driverGetVersion()
        self.cuda_runtime_version = runtime.runtimeGetVersion()
        self.devices = configuration()["devices"]

    def _rows(self) -> list[tuple[str, Any]]:
        rows: list[tuple[str, Any]] = [
            ("OS", self.platform),
            ("Python Version", self.python_version),
            ("Cupola Version", self.cupy_version),
            ("NumPy Version", self.numpy_version),
            ("CUDA Root", self.cuda_path),
            ("CUDA Driver Version", self.cuda_driver_version),
            ("CUDA Runtime Version", self.cuda_runtime_version),
        ]
        for each in self.devices:
            rows.append((f"Device {each['device']}", each.get("name", each.get("error"))))
            if self.full:
                rows += [(f"  {key}", value) for key, value in each.items() if key != "device"]
        return rows

    def __str__(self) -> str:
        rows = self._rows()
        width = max(len(name) for name, _ in rows)
        return "\n".join(f"{name:<{width}} : {value}" for name, value in rows)


def get_runtime_info(*, full: bool = False) -> _RuntimeInfo:
    """Versions and devices; print it for reports of errors.

    Parameters
    ----------
    full : bool
        Everything that is known of each device as well.

    Returns
    -------
    object
        With attributes as `numpy_version` and `cuda_driver_version`; `str` gives a table.

    Examples
    --------
    >>> import cupola.cupyx as cupyx
    >>> "NumPy Version" in str(cupyx.get_runtime_info())
    True
    """
    return _RuntimeInfo(full)
