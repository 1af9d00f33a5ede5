"""Devices by number, what is known of them, versions, and profilers."""

from __future__ import annotations

from typing import Any

from cupola import _cupola as _core
from cupola._cupola import Device
from cupola.cuda._runtime import constants as numbers

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


def profilerStart() -> None:
    """Let a profiler of NVIDIA's record from here."""
    from cupola.cuda import profiler

    profiler.start()


def profilerStop() -> None:
    """Let a profiler of NVIDIA's stop."""
    from cupola.cuda import profiler

    profiler.stop()
