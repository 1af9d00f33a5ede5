"""What processes and devices let each other reach, and limits of devices.

Memory and events of other processes are CUDA's own handles: on the CPU platform each of these calls
raises `DeviceError`; `cupola.multiprocessing` passes arrays between processes on every platform.
"""

from __future__ import annotations

import ctypes

from cupola import _cupola as _core
from cupola._cupola import Device
from cupola.cuda._driver_calls import call, primary_context
from cupola.cuda._driver_structures import CUipcEventHandle
from cupola.cuda._runtime import constants as numbers
from cupola.cuda._runtime.events import event_of, open_event
from cupola.errors import DeviceError

_HANDLE_BYTES = 64

_enabled: set[tuple[Device, Device]] = set()


def _refuse(message: str, status: int) -> None:
    error = DeviceError(message)
    error.status = status  # type: ignore[attr-defined]
    raise error


def deviceEnablePeerAccess(peerDevice: int) -> None:
    """Let kernels on the current device reach the memory of another one.

    The library lets devices reach each other's memory by itself, where that is needed.

    Raises
    ------
    DeviceError
        The two cannot, or it was called before.
    """
    device, peer = _core.current_device(), Device(peerDevice)
    if not _core.can_access_peer(device, peer):
        _refuse(
            f"cudaErrorPeerAccessUnsupported: {device} cannot reach the memory of {peer}",
            numbers.errorPeerAccessUnsupported,
        )
    if (device, peer) in _enabled:
        _refuse(
            f"cudaErrorPeerAccessAlreadyEnabled: {device} reaches the memory of {peer} already",
            numbers.errorPeerAccessAlreadyEnabled,
        )
    _enabled.add((device, peer))


def deviceDisablePeerAccess(peerDevice: int) -> None:
    """End what deviceEnablePeerAccess() began, as far as the program is concerned.

    Raises
    ------
    DeviceError
        It was not called before.
    """
    device, peer = _core.current_device(), Device(peerDevice)
    if (device, peer) not in _enabled:
        _refuse(
            f"cudaErrorPeerAccessNotEnabled: {device} was not let reach the memory of {peer}",
            numbers.errorPeerAccessNotEnabled,
        )
    _enabled.remove((device, peer))


def deviceGetLimit(limit: int) -> int:
    """Bytes that `cudaLimit...` is on the current device."""
    value = ctypes.c_size_t()
    with primary_context():
        call("cuCtxGetLimit", ctypes.byref(value), ctypes.c_int(limit))
    return value.value


def deviceSetLimit(limit: int, value: int) -> None:
    """Set a limit of the current device, in bytes."""
    with primary_context():
        call("cuCtxSetLimit", ctypes.c_int(limit), ctypes.c_size_t(value))


class _Handle(ctypes.Structure):
    """CUipcMemHandle and CUipcEventHandle, which are passed by value."""

    reserved: bytes
    _fields_ = [("reserved", ctypes.c_char * _HANDLE_BYTES)]


def _handle_of(handle: bytes) -> _Handle:
    if len(handle) != _HANDLE_BYTES:
        raise ValueError(f"a handle has {_HANDLE_BYTES} bytes, not {len(handle)}")
    return _Handle.from_buffer_copy(handle)


def ipcGetMemHandle(devPtr: int) -> bytes:
    """A handle of the block that an address lies in, for another process."""
    handle = _Handle()
    with primary_context():
        call("cuIpcGetMemHandle", ctypes.byref(handle), ctypes.c_uint64(devPtr))
    return bytes(handle)


def ipcOpenMemHandle(handle: bytes, flags: int = numbers.cudaIpcMemLazyEnablePeerAccess) -> int:
    """The address of another process's memory in this one; ipcCloseMemHandle() ends it."""
    pointer = ctypes.c_uint64()
    with primary_context():
        call(
            "cuIpcOpenMemHandle_v2",
            ctypes.byref(pointer),
            _handle_of(handle),
            ctypes.c_uint(flags),
        )
    return pointer.value


def ipcCloseMemHandle(devPtr: int) -> None:
    """End what ipcOpenMemHandle() began, once the work on it is done."""
    with primary_context():
        call("cuIpcCloseMemHandle", ctypes.c_uint64(devPtr))


def ipcGetEventHandle(event: int) -> bytes:
    """A handle of an event made with eventInterprocess, for another process."""
    handle = _Handle()
    with primary_context():
        call("cuIpcGetEventHandle", ctypes.byref(handle), ctypes.c_void_p(event_of(event).ptr))
    return bytes(handle)


def ipcOpenEventHandle(handle: bytes) -> int:
    """An event of another process in this one, on the current device; eventDestroy() ends it."""
    return open_event(CUipcEventHandle.from_buffer_copy(_handle_of(handle)))
