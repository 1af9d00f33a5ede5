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

    Parameters
    ----------
    peerDevice : int
        Number of the other device.

    Raises
    ------
    DeviceError
        The two cannot, or it was called before.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cuda import runtime
    >>> with cp.cuda.Device(0):
    ...     for other in range(runtime.getDeviceCount()):
    ...         if runtime.deviceCanAccessPeer(0, other):
    ...             runtime.deviceEnablePeerAccess(other)
    ...             runtime.deviceDisablePeerAccess(other)
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

    Parameters
    ----------
    peerDevice : int
        Number of the other device.

    Raises
    ------
    DeviceError
        It was not called before.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> runtime.deviceDisablePeerAccess(0)  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
        ...
    DeviceError: cudaErrorPeerAccessNotEnabled
    """
    device, peer = _core.current_device(), Device(peerDevice)
    if (device, peer) not in _enabled:
        _refuse(
            f"cudaErrorPeerAccessNotEnabled: {device} was not let reach the memory of {peer}",
            numbers.errorPeerAccessNotEnabled,
        )
    _enabled.remove((device, peer))


def deviceGetLimit(limit: int) -> int:
    """Bytes that `cudaLimit...` is on the current device.

    Parameters
    ----------
    limit : int
        One of `cudaLimit...`.

    Returns
    -------
    int
        Bytes, or how many.

    Raises
    ------
    DeviceError
        On the CPU platform, and for a limit that CUDA does not have.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cuda import runtime
    >>> with cp.cuda.Device(0) as device:
    ...     if device.platform == "cuda":
    ...         size = runtime.deviceGetLimit(runtime.cudaLimitStackSize)
    """
    value = ctypes.c_size_t()
    with primary_context():
        call("cuCtxGetLimit", ctypes.byref(value), ctypes.c_int(limit))
    return value.value


def deviceSetLimit(limit: int, value: int) -> None:
    """Set a limit of the current device, in bytes.

    Parameters
    ----------
    limit : int
        One of `cudaLimit...`.
    value : int
        Bytes, or how many. CUDA may round it up.

    Raises
    ------
    DeviceError
        On the CPU platform, and for a limit or a value that CUDA refuses.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cuda import runtime
    >>> with cp.cuda.Device(0) as device:
    ...     if device.platform == "cuda":
    ...         size = runtime.deviceGetLimit(runtime.cudaLimitStackSize)
    ...         runtime.deviceSetLimit(runtime.cudaLimitStackSize, size)
    """
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
    """A handle of the block that an address lies in, for another process.

    Parameters
    ----------
    devPtr : int
        An address of device memory of malloc().

    Returns
    -------
    bytes
        64 of them.

    Raises
    ------
    DeviceError
        On the CPU platform, and for memory that CUDA does not share.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cuda import runtime
    >>> with cp.cuda.Device(0) as device:
    ...     if device.platform == "cuda":
    ...         address = runtime.malloc(1024)
    ...         handle = runtime.ipcGetMemHandle(address)
    ...         runtime.free(address)
    """
    handle = _Handle()
    with primary_context():
        call("cuIpcGetMemHandle", ctypes.byref(handle), ctypes.c_uint64(devPtr))
    return bytes(handle)


def ipcOpenMemHandle(handle: bytes, flags: int = numbers.cudaIpcMemLazyEnablePeerAccess) -> int:
    """The address of another process's memory in this one; ipcCloseMemHandle() ends it.

    Parameters
    ----------
    handle : bytes
        What ipcGetMemHandle() returned in the other process.
    flags : int, optional
        cudaIpcMemLazyEnablePeerAccess.

    Returns
    -------
    int

    Raises
    ------
    DeviceError
        On the CPU platform, and for a handle that CUDA refuses, as one of this process.
    ValueError
        For a handle of another length.

    Examples
    --------
    >>> import numpy as np
    >>> from cupola.cuda import runtime
    >>> def total(handle, count):  # in the other process
    ...     host, address = np.empty(count), runtime.ipcOpenMemHandle(handle)
    ...     runtime.memcpy(host.ctypes.data, address, host.nbytes, runtime.memcpyDeviceToHost)
    ...     runtime.ipcCloseMemHandle(address)
    ...     return host.sum()
    """
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
    """End what ipcOpenMemHandle() began, once the work on it is done.

    Parameters
    ----------
    devPtr : int
        What ipcOpenMemHandle() returned.

    Raises
    ------
    DeviceError
        On the CPU platform, and for other addresses.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> def close(handle):  # in the other process
    ...     address = runtime.ipcOpenMemHandle(handle)
    ...     runtime.ipcCloseMemHandle(address)
    """
    with primary_context():
        call("cuIpcCloseMemHandle", ctypes.c_uint64(devPtr))


def ipcGetEventHandle(event: int) -> bytes:
    """A handle of an event made with eventInterprocess, for another process.

    Parameters
    ----------
    event : int
        Number of the event, which has eventDisableTiming as well.

    Returns
    -------
    bytes
        64 of them.

    Raises
    ------
    DeviceError
        On the CPU platform, and for other events.
    ValueError
        For what is no event.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cuda import runtime
    >>> with cp.cuda.Device(0) as device:
    ...     if device.platform == "cuda":
    ...         flags = runtime.eventInterprocess | runtime.eventDisableTiming
    ...         event = runtime.eventCreateWithFlags(flags)
    ...         handle = runtime.ipcGetEventHandle(event)
    ...         runtime.eventDestroy(event)
    """
    handle = _Handle()
    with primary_context():
        call("cuIpcGetEventHandle", ctypes.byref(handle), ctypes.c_void_p(event_of(event).ptr))
    return bytes(handle)


def ipcOpenEventHandle(handle: bytes) -> int:
    """An event of another process in this one, on the current device; eventDestroy() ends it.

    Parameters
    ----------
    handle : bytes
        What ipcGetEventHandle() returned in the other process.

    Returns
    -------
    int
        A number that stands for the event.

    Raises
    ------
    DeviceError
        On the CPU platform, and for a handle that CUDA refuses, as one of this process.
    ValueError
        For a handle of another length.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> def wait(handle):  # in the other process
    ...     event = runtime.ipcOpenEventHandle(handle)
    ...     runtime.eventSynchronize(event)
    ...     runtime.eventDestroy(event)
    """
    return open_event(CUipcEventHandle.from_buffer_copy(_handle_of(handle)))
