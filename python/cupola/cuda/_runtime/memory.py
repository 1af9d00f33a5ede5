"""Memory of the current device and of the host, by address."""

from __future__ import annotations

from typing import Any

from cupola import _cupola as _core
from cupola._memory.pointers import ADVICE
from cupola.cuda._runtime import constants as numbers
from cupola.cuda._runtime.pools import free_pooled
from cupola.cuda._runtime.streams import current


def malloc(size: int) -> int:
    """The address of memory on the current device, straight from the platform; free() ends it."""
    return _core.raw_allocate(_core.current_device(), size, "device")


def mallocManaged(size: int, flags: int = numbers.memAttachGlobal) -> int:
    """As malloc(), of memory that moves between host and devices."""
    return _core.raw_allocate(_core.current_device(), size, "managed")


def mallocAsync(size: int, stream: int) -> int:
    """As malloc(); the memory can be used by work of every stream."""
    return malloc(size)


def hostAlloc(size: int, flags: int = numbers.hostAllocDefault) -> int:
    """The address of pinned host memory; freeHost() ends it."""
    return _core.raw_allocate(_core.current_device(), size, "pinned")


def free(ptr: int) -> None:
    """Give memory of malloc(), mallocManaged() or mallocFromPoolAsync() back once work on its
    device is done."""
    if not free_pooled(ptr, None):
        _core.raw_free(ptr)


def freeAsync(ptr: int, stream: int) -> None:
    """As free(); memory of mallocFromPoolAsync() is given back behind the stream's work."""
    if not free_pooled(ptr, stream):
        free(ptr)


def freeHost(ptr: int) -> None:
    """Give memory of hostAlloc() back."""
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
    """

    def __init__(self, device: int, devicePointer: int, hostPointer: int, type: int) -> None:
        self.device = device
        self.devicePointer = devicePointer
        self.hostPointer = hostPointer
        self.type = type


def pointerGetAttributes(ptr: int) -> PointerAttributes:
    """What is known of an address, also within a block."""
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
    of a stream."""
    to_host = dstDevice == numbers.cudaCpuDeviceId
    with current(stream):
        _managed(devPtr, count).prefetch("host" if to_host else dstDevice)


def memAdvise(devPtr: int, count: int, advice: int, device: int) -> None:
    """Say how memory of mallocManaged() is used; `advice` is one of `cudaMemAdvise...`."""
    if not 1 <= advice <= len(ADVICE):
        raise ValueError(f"{advice} is no memory advice; they are 1 to {len(ADVICE)}")
    name = ADVICE[advice - 1]
    _managed(devPtr, count).advise(name, "host" if device == numbers.cudaCpuDeviceId else device)


_pins: dict[int, _core.HostPin] = {}


def hostRegister(ptr: int, size: int, flags: int = 0) -> None:
    """Pin host memory of the program's own; hostUnregister() ends it."""
    _pins[ptr] = _core.pin_host(ptr, size)


def hostUnregister(ptr: int) -> None:
    """End what hostRegister() began, once copies in flight are done."""
    pin = _pins.pop(ptr, None)
    if pin is None:
        raise ValueError(f"{ptr} is no address that hostRegister() was called with")
    pin.release()
