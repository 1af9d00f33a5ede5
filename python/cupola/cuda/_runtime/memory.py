"""Memory of the current device and of the host, by address."""

from __future__ import annotations

from typing import Any

from cupola import _cupola as _core
from cupola._memory.blocks import ADVICE
from cupola.cuda._runtime import constants as numbers
from cupola.cuda._runtime.pools import free_pooled
from cupola.cuda._runtime.streams import current


def malloc(size: int) -> int:
    """The address of memory on the current device, straight from the platform; free() ends it.

    Parameters
    ----------
    size : int
        Bytes.

    Returns
    -------
    int
        0 for no bytes.

    Raises
    ------
    OutOfMemoryError
        Where there is no room.

    See Also
    --------
    cupola.cuda.alloc : Memory from a pool, which is given back by itself.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> address = runtime.malloc(1024)
    >>> runtime.pointerGetAttributes(address).type == runtime.memoryTypeDevice
    True
    >>> runtime.free(address)
    """
    return _core.raw_allocate(_core.current_device(), size, "device")


def mallocManaged(size: int, flags: int = numbers.memAttachGlobal) -> int:
    """The address of memory that moves between host and devices as it is used; free() ends it.

    Parameters
    ----------
    size : int
        Bytes.
    flags : int, optional
        One of `memAttach...`; all of them mean the same here.

    Returns
    -------
    int
        0 for no bytes.

    Raises
    ------
    OutOfMemoryError
        Where there is no room.

    See Also
    --------
    cupola.cuda.malloc_managed : The same, which is given back by itself.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> address = runtime.mallocManaged(1024)
    >>> runtime.pointerGetAttributes(address).type == runtime.memoryTypeManaged
    True
    >>> runtime.free(address)
    """
    return _core.raw_allocate(_core.current_device(), size, "managed")


def mallocAsync(size: int, stream: int) -> int:
    """As malloc(); the memory can be used by work of every stream.

    Parameters
    ----------
    size : int
        Bytes.
    stream : int
        Handle of a stream. The memory is there at once, whatever it is.

    Returns
    -------
    int
        0 for no bytes.

    Raises
    ------
    OutOfMemoryError
        Where there is no room.

    See Also
    --------
    mallocFromPoolAsync : Memory of a pool of the driver's, in the order of a stream.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> address = runtime.mallocAsync(1024, 0)
    >>> runtime.freeAsync(address, 0)
    """
    return malloc(size)


def hostAlloc(size: int, flags: int = numbers.hostAllocDefault) -> int:
    """The address of pinned host memory; freeHost() ends it.

    Parameters
    ----------
    size : int
        Bytes.
    flags : int, optional
        A sum of `hostAlloc...`; all of them mean the same here.

    Returns
    -------
    int
        0 for no bytes.

    Raises
    ------
    OutOfMemoryError
        Where there is no room.

    See Also
    --------
    cupola.cuda.alloc_pinned_memory : The same, which is given back by itself.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> address = runtime.hostAlloc(1024)
    >>> runtime.pointerGetAttributes(address).type == runtime.memoryTypeHost
    True
    >>> runtime.freeHost(address)
    """
    return _core.raw_allocate(_core.current_device(), size, "pinned")


def free(ptr: int) -> None:
    """Give memory of malloc(), mallocManaged() or mallocFromPoolAsync() back once work on its
    device is done.

    Parameters
    ----------
    ptr : int
        The first address of the block; 0 does nothing.

    Raises
    ------
    ValueError
        For other addresses, and for those that are free already.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> runtime.free(runtime.malloc(1024))
    """
    if not free_pooled(ptr, None):
        _core.raw_free(ptr)


def freeAsync(ptr: int, stream: int) -> None:
    """As free(); memory of mallocFromPoolAsync() is given back behind the stream's work.

    Parameters
    ----------
    ptr : int
        The first address of the block; 0 does nothing.
    stream : int
        Handle of a stream; 0 is the current one.

    Raises
    ------
    ValueError
        For other addresses, and for those that are free already.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> runtime.freeAsync(runtime.mallocAsync(1024, 0), 0)
    """
    if not free_pooled(ptr, stream):
        free(ptr)


def freeHost(ptr: int) -> None:
    """Give memory of hostAlloc() back.

    Parameters
    ----------
    ptr : int
        The first address of the block; 0 does nothing.

    Raises
    ------
    ValueError
        For other addresses, and for those that are free already.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> runtime.freeHost(runtime.hostAlloc(1024))
    """
    _core.raw_free(ptr)


class PointerAttributes:
    """What is known of an address.

    Attributes
    ----------
    device : int
        The device that the memory belongs to; -1 for host memory.
    devicePointer, hostPointer : int
        The address where that side can use it, else 0.
    type : int
        One of `memoryType...`.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cuda import runtime
    >>> address = runtime.malloc(1024)
    >>> runtime.pointerGetAttributes(address).type == runtime.memoryTypeDevice
    True
    >>> runtime.free(address)
    """

    def __init__(self, device: int, devicePointer: int, hostPointer: int, type: int) -> None:
        self.device = device
        self.devicePointer = devicePointer
        self.hostPointer = hostPointer
        self.type = type


def pointerGetAttributes(ptr: int) -> PointerAttributes:
    """What is known of an address, also within a block.

    Parameters
    ----------
    ptr : int
        Any address.

    Returns
    -------
    PointerAttributes
        Of type memoryTypeUnregistered where the platform does not know the address.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> address = runtime.malloc(1024)
    >>> known = runtime.pointerGetAttributes(address + 8)
    >>> known.devicePointer == address + 8, known.hostPointer
    (True, 0)
    >>> runtime.free(address)
    """
    kind, device = _core.describe_pointer(_core.default_platform(), ptr)
    number = ("unknown", "pinned", "device", "managed").index(kind)
    on_device = ptr if kind != "unknown" else 0
    on_host = ptr if kind != "device" else 0
    return PointerAttributes(device, on_device, on_host, number)


def _managed(ptr: int, size: int) -> Any:
    """Bytes of mallocManaged() as an array."""
    device = _core.device_of_pointer(ptr)
    return _core.array_on_memory(_core.borrow_memory(ptr, size, device, None), 0, (size,), "uint8")


def memPrefetchAsync(devPtr: int, count: int, dstDevice: int, stream: int) -> None:
    """Move memory of mallocManaged() to a device, or to the host for cudaCpuDeviceId, in the order
    of a stream.

    Parameters
    ----------
    devPtr : int
        An address of managed memory.
    count : int
        Bytes.
    dstDevice : int
        Number of the device, or cudaCpuDeviceId.
    stream : int
        Handle of a stream; 0 is the current one.

    Raises
    ------
    ValueError
        For memory that is not managed.
    DeviceError
        For a device that is not there.

    See Also
    --------
    cupola.ndarray.prefetch : The same for an array.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> address = runtime.mallocManaged(1024)
    >>> runtime.memPrefetchAsync(address, 1024, runtime.cudaCpuDeviceId, 0)
    >>> runtime.free(address)
    """
    to_host = dstDevice == numbers.cudaCpuDeviceId
    with current(stream):
        _managed(devPtr, count).prefetch("host" if to_host else dstDevice)


def memAdvise(devPtr: int, count: int, advice: int, device: int) -> None:
    """Say how memory of mallocManaged() is used; `advice` is one of `cudaMemAdvise...`.

    Parameters
    ----------
    devPtr : int
        An address of managed memory.
    count : int
        Bytes.
    advice : int
        One of `cudaMemAdvise...`.
    device : int
        Number of the device that it is about, or cudaCpuDeviceId.

    Raises
    ------
    ValueError
        For other numbers, and for memory that is not managed.
    DeviceError
        For a device that is not there.

    See Also
    --------
    cupola.ndarray.advise : The same for an array.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> address = runtime.mallocManaged(1024)
    >>> runtime.memAdvise(address, 1024, runtime.cudaMemAdviseSetReadMostly, 0)
    >>> runtime.free(address)
    """
    if not 1 <= advice <= len(ADVICE):
        raise ValueError(f"{advice} is no memory advice; they are 1 to {len(ADVICE)}")
    name = ADVICE[advice - 1]
    _managed(devPtr, count).advise(name, "host" if device == numbers.cudaCpuDeviceId else device)


_pins: dict[int, _core.HostPin] = {}


def hostRegister(ptr: int, size: int, flags: int = 0) -> None:
    """Pin host memory of the program's own, so that it is copied faster; hostUnregister() ends it.

    Parameters
    ----------
    ptr : int
        Its first address.
    size : int
        Bytes.
    flags : int, optional
        A sum of `hostRegister...`; all of them mean the same here.

    Raises
    ------
    ValueError
        Where a part of it is pinned already.

    Examples
    --------
    >>> import numpy as np
    >>> from cupola.cuda import runtime
    >>> host = np.zeros(1000)
    >>> runtime.hostRegister(host.ctypes.data, host.nbytes)
    >>> runtime.pointerGetAttributes(host.ctypes.data).type == runtime.memoryTypeHost
    True
    >>> runtime.hostUnregister(host.ctypes.data)
    """
    _pins[ptr] = _core.pin_host(ptr, size)


def hostUnregister(ptr: int) -> None:
    """End what hostRegister() began, once copies in flight are done.

    Parameters
    ----------
    ptr : int
        The address that hostRegister() was called with.

    Raises
    ------
    ValueError
        For other addresses.

    Examples
    --------
    >>> import numpy as np
    >>> from cupola.cuda import runtime
    >>> host = np.zeros(1000)
    >>> runtime.hostRegister(host.ctypes.data, host.nbytes)
    >>> runtime.hostUnregister(host.ctypes.data)
    """
    pin = _pins.pop(ptr, None)
    if pin is None:
        raise ValueError(f"{ptr} is no address that hostRegister() was called with")
    pin.release()
