"""Handles of cuBLAS, cuSOLVER and cuSPARSE, for programs that call these libraries by themselves.

The package's own calls use others. A handle belongs to a device and to the thread that asks for it,
works on the device's current stream from then on, and lives as long as the process.
"""

from __future__ import annotations

import ctypes
import threading
from typing import Any, NamedTuple

from cupola import _cupola as _core
from cupola._cupola import Device
from cupola._devices.libraries import TOOLKIT, cuda_files
from cupola.cuda._driver_calls import primary_context
from cupola.errors import DeviceError

__all__ = ["library_handle"]


class _Kind(NamedTuple):
    files: tuple[str, ...]
    create: str
    set_stream: str


_KINDS = {
    "cublas": _Kind(TOOLKIT["cublas"], "cublasCreate_v2", "cublasSetStream_v2"),
    "cusolver": _Kind(TOOLKIT["cusolver"], "cusolverDnCreate", "cusolverDnSetStream"),
    "cusolver_sp": _Kind(TOOLKIT["cusolver"], "cusolverSpCreate", "cusolverSpSetStream"),
    "cusparse": _Kind(("libcusparse.so.12",), "cusparseCreate", "cusparseSetStream"),
}


class _Handles(threading.local):
    def __init__(self) -> None:
        self.made: dict[tuple[int, str], ctypes.c_void_p] = {}


_handles = _Handles()


def _open(kind: _Kind) -> ctypes.CDLL:
    for file in cuda_files(kind.files):
        try:
            return ctypes.CDLL(file)
        except OSError:
            continue
    raise RuntimeError(
        f"{kind.files[0]} is not installed: install it for the version of CUDA that is used, or "
        "name its folder in CUPOLA_CUDA_LIBRARY_PATH"
    )


def _call(library: ctypes.CDLL, name: str, *arguments: Any) -> None:
    status = getattr(library, name)(*arguments)
    if status != 0:
        raise RuntimeError(f"{name} failed with status {status}")


def library_handle(device: Device, name: str) -> int:
    """The handle of "cublas", "cusolver", "cusolver_sp" or "cusparse" as a number.

    Raises
    ------
    DeviceError
        For a device of the CPU platform, and for a set of devices.
    RuntimeError
        Where the library is not installed, or fails.
    """
    if device.platform != "cuda" or len(device.members) != 1:
        raise DeviceError(f"{device} has no handle of {name}: such a library works on one GPU")
    kind = _KINDS[name]
    library = _open(kind)
    stream = _core.current_stream(device).ptr
    with primary_context(device):
        handle = _handles.made.get((device.id, name))
        if handle is None:
            handle = ctypes.c_void_p()
            _call(library, kind.create, ctypes.byref(handle))
            _handles.made[device.id, name] = handle
        _call(library, kind.set_stream, handle, ctypes.c_void_p(stream))
    return handle.value or 0
