"""The one way in which Python calls the CUDA driver, for what the core has no need of."""

from __future__ import annotations

import contextlib
import ctypes
import os
from collections.abc import Iterator
from typing import Any

from cupola import _cupola as _core
from cupola._cupola import Device
from cupola.errors import DeviceError, LibraryError


class CUDADriverError(DeviceError):
    """A call of the CUDA driver failed; `status` is its CUresult."""

    status = 0


_libraries: list[ctypes.CDLL] = []
_contexts: dict[int, ctypes.c_void_p] = {}
_initialized_in: list[int] = []  # the process; not those forked from it


def _library() -> ctypes.CDLL:
    if not _libraries:
        try:
            _libraries.append(ctypes.CDLL("libcuda.so.1"))
        except OSError as error:
            raise LibraryError(f"the CUDA driver cannot be opened: {error}") from None
    return _libraries[0]


def _message(status: int, name: str) -> str:
    texts = []
    for getter in ("cuGetErrorName", "cuGetErrorString"):
        text = ctypes.c_char_p()
        getattr(_library(), getter)(ctypes.c_int(status), ctypes.byref(text))
        texts.append(text.value.decode() if text.value else f"code {status}")
    return f"{texts[0]}: {texts[1]} ({name})"


def check(status: int, name: str) -> None:
    """Raise CUDADriverError unless a call of that name succeeded."""
    if status == 0:
        return
    error = CUDADriverError(_message(status, name))
    error.status = status
    raise error


def _initialize() -> None:
    """Initialise CUDA, or say why that cannot be. No device gets a context by it."""
    if _initialized_in != [os.getpid()]:
        _ = Device("cuda:0").attributes
        _initialized_in[:] = [os.getpid()]


def require_cuda(name: str, device: Device | None = None) -> None:
    """Raise DeviceError on the CPU platform, and ForkedProcessError where CUDA is the parent's.

    A device, if there is one, says its platform itself; a number is one of the platform's.
    """
    current = _core.current_device() if device is None else device
    if current.platform != "cuda" and (device is not None or _core.default_platform() != "cuda"):
        raise DeviceError(
            f"{name} is a call of the CUDA driver, which the CPU platform does not have: choose a "
            "GPU with CUPOLA_PLATFORM=cuda"
        )
    _initialize()


def _call(name: str, *arguments: Any) -> None:
    function = getattr(_library(), name, None)
    if function is None:
        raise LibraryError(f"the installed CUDA driver has no {name}")
    check(function(*arguments), name)


def call(name: str, *arguments: Any) -> None:
    """Call a function of the driver; `arguments` are ctypes values."""
    require_cuda(name)
    _call(name, *arguments)


def _primary(device: int) -> ctypes.c_void_p:
    """Retained for good: the core has it for good as well."""
    if device in _contexts:
        return _contexts[device]
    handle, context = ctypes.c_int(), ctypes.c_void_p()
    _call("cuDeviceGet", ctypes.byref(handle), ctypes.c_int(device))
    _call("cuDevicePrimaryCtxRetain", ctypes.byref(context), handle)
    return _contexts.setdefault(device, context)


@contextlib.contextmanager
def primary_context(device: Device | int | None = None) -> Iterator[None]:
    """The primary context of a device as the thread's own.

    By default that of the current device, and of the first one where that is a set of devices.
    """
    if isinstance(device, int):
        number = device
        require_cuda("cuCtxPushCurrent")
    else:
        chosen = _core.current_device().members[0] if device is None else device
        number = chosen.id
        require_cuda("cuCtxPushCurrent", chosen)
    _call("cuCtxPushCurrent_v2", _primary(number))
    try:
        yield
    finally:
        _call("cuCtxPopCurrent_v2", ctypes.byref(ctypes.c_void_p()))
