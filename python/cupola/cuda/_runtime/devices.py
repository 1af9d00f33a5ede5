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
    """Devices of the default platform; initialises nothing.

    Returns
    -------
    int

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> runtime.getDeviceCount() >= 1
    True
    """
    return _core.device_count(_core.default_platform())


def setDevice(device: int) -> None:
    """Make a device of the default platform the thread's current one; makes no context.

    Parameters
    ----------
    device : int
        Its number.

    Raises
    ------
    DeviceError
        For a device that is not there.

    See Also
    --------
    cupola.Device : The same for a `with` block.

    Examples
    --------
    >>> import cupola as cp
    >>> from cupola.cuda import runtime
    >>> with cp.cuda.Device(0):  # the current device is what it was, afterwards
    ...     runtime.setDevice(runtime.getDeviceCount() - 1)
    ...     runtime.getDevice() == runtime.getDeviceCount() - 1
    True
    """
    Device(device).use()


def deviceSynchronize() -> None:
    """Wait for all work on the current device.

    Raises
    ------
    LaunchError, DeviceError
        Where the device's work failed; where that was told before, FaultError, a DeviceError.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> runtime.deviceSynchronize()
    """
    _core.current_device().synchronize()


def deviceReset() -> None:
    """Make the current device usable again after its work failed; arrays on it stay.

    Raises
    ------
    DeviceError
        On a CUDA device that failed: only a new process helps there.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> runtime.deviceReset()
    """
    _core.clear_device_fault(_core.current_device())


def memGetInfo() -> tuple[int, int]:
    """Free and total bytes of the current device; initialises nothing.

    Returns
    -------
    free, total : int
        Bytes.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> free, total = runtime.memGetInfo()
    >>> free <= total
    True
    """
    return _core.current_device().mem_info


def getDeviceProperties(device: int) -> dict[str, Any]:
    """Name (bytes), memory, limits and the like, under the names of cudaDeviceProp.

    Parameters
    ----------
    device : int
        Number of the device.

    Returns
    -------
    dict
        `name` is of type bytes; sizes are in bytes, clock rates in kHz. What the device does not
        have is 0.

    Raises
    ------
    DeviceError
        For a device that is not there.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> properties = runtime.getDeviceProperties(0)
    >>> properties["warpSize"], properties["totalGlobalMem"] > 0
    (32, True)
    """
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
    """One attribute by its number, `cudaDevAttr...`; 0 where the device does not have it.

    Parameters
    ----------
    attrib : int
        One of `cudaDevAttr...`.
    device : int
        Number of the device.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        For a number that has no name here.
    DeviceError
        For a device that is not there.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> runtime.deviceGetAttribute(runtime.cudaDevAttrWarpSize, 0)
    32
    """
    names = {number: name for name, number in numbers.ATTRIBUTES.items()}
    if attrib not in names:
        raise ValueError(f"attribute {attrib} has no name here; Device.attributes has all")
    return int(Device(device).attributes.get(names[attrib], 0))


def deviceCanAccessPeer(device: int, peerDevice: int) -> int:
    """1 if kernels on `device` can reach the memory of `peerDevice`, else 0.

    Parameters
    ----------
    device, peerDevice : int
        Numbers of devices.

    Returns
    -------
    int
        0 for a device and itself, as in the runtime.

    Raises
    ------
    DeviceError
        For a device that is not there.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> runtime.deviceCanAccessPeer(0, 0)
    0
    """
    return int(_core.can_access_peer(Device(device), Device(peerDevice)))


def deviceGetPCIBusId(device: int) -> str:
    """The PCI address of a device; empty on the CPU.

    Parameters
    ----------
    device : int
        Number of the device.

    Returns
    -------
    str
        As in "0000:1b:00.0": domain, bus, device and function.

    Raises
    ------
    DeviceError
        For a device that is not there.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> address = runtime.deviceGetPCIBusId(0)
    >>> address == "" or runtime.deviceGetByPCIBusId(address) == 0
    True
    """
    return Device(device).pci_bus_id


def deviceGetByPCIBusId(pci_bus_id: str) -> int:
    """The number of the device with a PCI address.

    Parameters
    ----------
    pci_bus_id : str
        As in "0000:1b:00.0", in letters of either case.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        For what is no PCI address.
    DeviceError
        Where no device has it, as for all of them on the CPU.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> runtime.deviceGetByPCIBusId("first")
    Traceback (most recent call last):
        ...
    ValueError: 'first' is no PCI bus id; one looks like 0000:1b:00.0 (domain:bus:device.function)
    """
    return Device.from_pci_bus_id(pci_bus_id).id


def driverGetVersion() -> int:
    """The CUDA version of the installed driver, as in 13000; 0 on the CPU.

    Returns
    -------
    int
        1000 times the major version, and 10 times the minor one.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> runtime.driverGetVersion() >= 0
    True
    """
    return _core.driver_version(_core.default_platform())


def runtimeGetVersion() -> int:
    """The version of the CUDA toolkit in use, as in 13000; 0 on the CPU.

    Returns
    -------
    int
        1000 times the major version, and 10 times the minor one.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> runtime.runtimeGetVersion() >= 0
    True
    """
    return _core.runtime_version(_core.default_platform())


def profilerStart() -> None:
    """Let a profiler of NVIDIA's record from here; on the CPU it does nothing.

    See Also
    --------
    cupola.cupyx.profiler.profile : The same for a `with` block.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> runtime.profilerStart()
    >>> runtime.profilerStop()
    """
    from cupola.cuda import profiler

    profiler.start()


def profilerStop() -> None:
    """Let a profiler of NVIDIA's stop; on the CPU it does nothing.

    Examples
    --------
    >>> from cupola.cuda import runtime
    >>> runtime.profilerStart()
    >>> runtime.profilerStop()
    """
    from cupola.cuda import profiler

    profiler.stop()
