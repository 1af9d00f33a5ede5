"""The names of the CUDA runtime that CuPy programs call, for devices of the default platform.

Addresses and handles are numbers. What fails raises `CUDARuntimeError`, which is
`cupola.errors.DeviceError`, with the runtime's code as `status`.
"""

from __future__ import annotations

from typing import Any

from cupola import _cupola as _core
from cupola._cupola import Device
from cupola._memory.pointers import ADVICE
from cupola.cuda import _runtime_constants as numbers
from cupola.cuda._runtime_arrays import (
    createSurfaceObject,
    createTextureObject,
    destroySurfaceObject,
    destroyTextureObject,
    freeArray,
    malloc3DArray,
    mallocArray,
    memcpy2DFromArray,
    memcpy2DFromArrayAsync,
    memcpy2DToArray,
    memcpy2DToArrayAsync,
    memcpy3D,
    memcpy3DAsync,
)
from cupola.cuda._runtime_constants import *  # noqa: F403
from cupola.cuda._runtime_graphs import (
    graphDebugDotStr,
    graphDestroy,
    graphExecDestroy,
    graphInstantiate,
    graphLaunch,
    graphUpload,
    streamBeginCapture,
    streamEndCapture,
    streamIsCapturing,
)
from cupola.cuda._runtime_peers import (
    deviceDisablePeerAccess,
    deviceEnablePeerAccess,
    deviceGetLimit,
    deviceSetLimit,
    ipcCloseMemHandle,
    ipcGetEventHandle,
    ipcGetMemHandle,
    ipcOpenEventHandle,
    ipcOpenMemHandle,
)
from cupola.cuda._runtime_pools import (
    MemPoolProps,
    deviceGetDefaultMemPool,
    deviceGetMemPool,
    deviceSetMemPool,
    free_pooled,
    mallocFromPoolAsync,
    memPoolCreate,
    memPoolDestroy,
    memPoolGetAttribute,
    memPoolSetAttribute,
    memPoolTrimTo,
)
from cupola.cuda._runtime_streams import (
    current,
    deviceGetStreamPriorityRange,
    eventCreate,
    eventCreateWithFlags,
    eventDestroy,
    eventElapsedTime,
    eventQuery,
    eventRecord,
    eventSynchronize,
    launchHostFunc,
    stream_of,
    streamAddCallback,
    streamCreate,
    streamCreateWithFlags,
    streamCreateWithPriority,
    streamDestroy,
    streamGetFlags,
    streamGetPriority,
    streamQuery,
    streamSynchronize,
    streamWaitEvent,
)
from cupola.cuda.device import get_device_id as getDevice
from cupola.errors import DeviceError as CUDARuntimeError

__all__ = [
    "CUDARuntimeError",
    "MemPoolProps",
    "PointerAttributes",
    "createSurfaceObject",
    "createTextureObject",
    "destroySurfaceObject",
    "destroyTextureObject",
    "deviceCanAccessPeer",
    "deviceDisablePeerAccess",
    "deviceEnablePeerAccess",
    "deviceGetAttribute",
    "deviceGetByPCIBusId",
    "deviceGetDefaultMemPool",
    "deviceGetLimit",
    "deviceGetMemPool",
    "deviceGetPCIBusId",
    "deviceGetStreamPriorityRange",
    "deviceReset",
    "deviceSetLimit",
    "deviceSetMemPool",
    "deviceSynchronize",
    "driverGetVersion",
    "eventCreate",
    "eventCreateWithFlags",
    "eventDestroy",
    "eventElapsedTime",
    "eventQuery",
    "eventRecord",
    "eventSynchronize",
    "free",
    "freeArray",
    "freeAsync",
    "freeHost",
    "getDevice",
    "getDeviceCount",
    "getDeviceProperties",
    "graphDebugDotStr",
    "graphDestroy",
    "graphExecDestroy",
    "graphInstantiate",
    "graphLaunch",
    "graphUpload",
    "hostAlloc",
    "hostRegister",
    "hostUnregister",
    "ipcCloseMemHandle",
    "ipcGetEventHandle",
    "ipcGetMemHandle",
    "ipcOpenEventHandle",
    "ipcOpenMemHandle",
    "is_hip",
    "launchHostFunc",
    "malloc",
    "malloc3DArray",
    "mallocArray",
    "mallocAsync",
    "mallocFromPoolAsync",
    "mallocManaged",
    "memAdvise",
    "memGetInfo",
    "memPoolCreate",
    "memPoolDestroy",
    "memPoolGetAttribute",
    "memPoolSetAttribute",
    "memPoolTrimTo",
    "memPrefetchAsync",
    "memcpy",
    "memcpy2D",
    "memcpy2DAsync",
    "memcpy2DFromArray",
    "memcpy2DFromArrayAsync",
    "memcpy2DToArray",
    "memcpy2DToArrayAsync",
    "memcpy3D",
    "memcpy3DAsync",
    "memcpyAsync",
    "memcpyPeer",
    "memcpyPeerAsync",
    "memset",
    "memsetAsync",
    "pointerGetAttributes",
    "profilerStart",
    "profilerStop",
    "runtimeGetVersion",
    "setDevice",
    "streamAddCallback",
    "streamBeginCapture",
    "streamCreate",
    "streamCreateWithFlags",
    "streamCreateWithPriority",
    "streamDestroy",
    "streamEndCapture",
    "streamGetFlags",
    "streamGetPriority",
    "streamIsCapturing",
    "streamQuery",
    "streamSynchronize",
    "streamWaitEvent",
]

is_hip = False

# Keys of getDeviceProperties that are attributes of other names.
_PROPERTIES = {
    "warpSize": "WarpSize",
    "maxThreadsPerBlock": "MaxThreadsPerBlock",
    "sharedMemPerBlock": "MaxSharedMemoryPerBlock",
    "sharedMemPerBlockOptin": "MaxSharedMemoryPerBlockOptin",
    "sharedMemPerMultiprocessor": "MaxSharedMemoryPerMultiprocessor",
    "regsPerBlock": "MaxRegistersPerBlock",
    "regsPerMultiprocessor": "MaxRegistersPerMultiprocessor",
    "maxThreadsPerMultiProcessor": "MaxThreadsPerMultiProcessor",
    "totalConstMem": "TotalConstantMemory",
    "memPitch": "MaxPitch",
    "clockRate": "ClockRate",
    "memoryClockRate": "MemoryClockRate",
    "memoryBusWidth": "GlobalMemoryBusWidth",
    "l2CacheSize": "L2CacheSize",
    "ECCEnabled": "EccEnabled",
    "integrated": "Integrated",
    "canMapHostMemory": "CanMapHostMemory",
    "concurrentKernels": "ConcurrentKernels",
    "asyncEngineCount": "AsyncEngineCount",
    "unifiedAddressing": "UnifiedAddressing",
    "managedMemory": "ManagedMemory",
    "concurrentManagedAccess": "ConcurrentManagedAccess",
    "cooperativeLaunch": "CooperativeLaunch",
}


# ---- devices


def getDeviceCount() -> int:
    """Devices of the default platform; initialises nothing."""
    return _core.device_count(_core.default_platform())


def setDevice(device: int) -> None:
    """Make a device of the default platform the thread's current one; makes no context."""
    Device(device).use()


def deviceSynchronize() -> None:
    """Wait for all work on the current device."""
    _core.current_device().synchronize()


def deviceReset() -> None:
    """Make the current device usable again after its work failed; arrays on it stay.

    Raises
    ------
    DeviceError
        On a CUDA device that failed: only a new process helps there.
    """
    _core.clear_device_fault(_core.current_device())


def memGetInfo() -> tuple[int, int]:
    """Free and total bytes of the current device; initialises nothing."""
    return _core.current_device().mem_info


def getDeviceProperties(device: int) -> dict[str, Any]:
    """Name (bytes), memory, limits and the like, under the names of cudaDeviceProp."""
    one = Device(device)
    known = _core.describe_device(one)
    attributes = one.attributes
    major, minor = known["compute_capability"]
    properties: dict[str, Any] = {
        "name": known["name"].encode(),
        "uuid": known["uuid"],
        "totalGlobalMem": known["total_memory"],
        "major": major,
        "minor": minor,
        "multiProcessorCount": known["multiprocessors"],
        "maxThreadsDim": tuple(attributes.get(f"MaxBlockDim{axis}", 0) for axis in "XYZ"),
        "maxGridSize": tuple(attributes.get(f"MaxGridDim{axis}", 0) for axis in "XYZ"),
    }
    address = known["pci_bus_id"].replace(".", ":").split(":") if known["pci_bus_id"] else []
    for key, text in zip(("pciDomainID", "pciBusID", "pciDeviceID"), address, strict=False):
        properties[key] = int(text, 16)
    properties.update({key: attributes.get(name, 0) for key, name in _PROPERTIES.items()})
    return properties


def deviceGetAttribute(attrib: int, device: int) -> int:
    """One attribute by its number, `cudaDevAttr...`; 0 where the device does not have it."""
    names = {number: name for name, number in numbers.ATTRIBUTES.items()}
    if attrib not in names:
        raise ValueError(f"attribute {attrib} has no name here; Device.attributes has all")
    return int(Device(device).attributes.get(names[attrib], 0))


def deviceCanAccessPeer(device: int, peerDevice: int) -> int:
    """1 if kernels on `device` can reach the memory of `peerDevice`, else 0."""
    return int(_core.can_access_peer(Device(device), Device(peerDevice)))


def deviceGetPCIBusId(device: int) -> str:
    """The PCI address of a device; empty on the CPU."""
    return Device(device).pci_bus_id


def deviceGetByPCIBusId(pci_bus_id: str) -> int:
    """The number of the device with a PCI address."""
    return Device.from_pci_bus_id(pci_bus_id).id


def driverGetVersion() -> int:
    """The CUDA version of the installed driver, as in 13000; 0 on the CPU."""
    return _core.driver_version(_core.default_platform())


def runtimeGetVersion() -> int:
    """The version of the CUDA toolkit in use, as in 13000; 0 on the CPU."""
    return _core.runtime_version(_core.default_platform())


# ---- memory


def malloc(size: int) -> int:
    """The address of memory on the current device, straight from the platform; free() ends it."""
    return _core.raw_allocate(_core.current_device(), size, "device")


def mallocManaged(size: int, flags: int = numbers.memAttachGlobal) -> int:
    """As malloc(), of memory that moves between host and devices."""
    return _core.raw_allocate(_core.current_device(), size, "managed")


def hostAlloc(size: int, flags: int = numbers.hostAllocDefault) -> int:
    """The address of pinned host memory; freeHost() ends it."""
    return _core.raw_allocate(_core.current_device(), size, "pinned")


def free(ptr: int) -> None:
    """Give memory of malloc(), mallocManaged() or mallocFromPoolAsync() back once work on its
    device is done."""
    if not free_pooled(ptr, None):
        _core.raw_free(ptr)


def freeHost(ptr: int) -> None:
    """Give memory of hostAlloc() back."""
    _core.raw_free(ptr)


def memcpy(dst: int, src: int, size: int, kind: int) -> None:
    """Copy bytes between addresses; `kind` is one of `memcpy...`. Returns when it is done."""
    _core.raw_copy(dst, src, size, kind, None, True)


def memcpyAsync(dst: int, src: int, size: int, kind: int, stream: int) -> None:
    """As memcpy(), in the order of a stream; copies that involve host memory have read or written
    it when this returns."""
    _core.raw_copy(dst, src, size, kind, stream_of(stream), False)


def memset(ptr: int, value: int, size: int) -> None:
    """Set every byte. Returns when it is done."""
    _core.raw_fill(ptr, value, size, None, True)


def memsetAsync(ptr: int, value: int, size: int, stream: int) -> None:
    """As memset(), in the order of a stream; does not wait."""
    _core.raw_fill(ptr, value, size, stream_of(stream), False)


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


def mallocAsync(size: int, stream: int) -> int:
    """As malloc(); the memory can be used by work of every stream."""
    return malloc(size)


def freeAsync(ptr: int, stream: int) -> None:
    """As free(); memory of mallocFromPoolAsync() is given back behind the stream's work."""
    if not free_pooled(ptr, stream):
        free(ptr)


def memcpyPeer(dst: int, dstDevice: int, src: int, srcDevice: int, size: int) -> None:
    """Copy bytes between the memory of two devices. Returns when it is done."""
    memcpy(dst, src, size, numbers.memcpyDefault)


def memcpyPeerAsync(
    dst: int, dstDevice: int, src: int, srcDevice: int, size: int, stream: int
) -> None:
    """As memcpyPeer(), in the order of a stream."""
    memcpyAsync(dst, src, size, numbers.memcpyDefault, stream)


def memcpy2D(
    dst: int, dpitch: int, src: int, spitch: int, width: int, height: int, kind: int
) -> None:
    """Copy `height` rows of `width` bytes; the pitches are bytes from row to row."""
    for row in range(height):
        memcpy(dst + row * dpitch, src + row * spitch, width, kind)


def memcpy2DAsync(
    dst: int, dpitch: int, src: int, spitch: int, width: int, height: int, kind: int, stream: int
) -> None:
    """As memcpy2D(), in the order of a stream."""
    for row in range(height):
        memcpyAsync(dst + row * dpitch, src + row * spitch, width, kind, stream)


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


def profilerStart() -> None:
    """Let a profiler of NVIDIA's record from here."""
    from cupola.cuda import profiler

    profiler.start()


def profilerStop() -> None:
    """Let a profiler of NVIDIA's stop."""
    from cupola.cuda import profiler

    profiler.stop()
