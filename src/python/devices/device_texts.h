#pragma once
// The docstrings of devices' methods.

namespace cupola::python {

inline constexpr const char* kAvailableGpusText =
    R"(The numbers of the default platform's devices; initialises nothing.

Returns
-------
list of int

Examples
--------
>>> import cupola as cp
>>> cp.Device.available_gpus()[0]
0)";

inline constexpr const char* kFromPciBusIdText =
    R"(The device of the default platform with a PCI address.

Parameters
----------
pci_bus_id : str
    Such as "0000:1b:00.0": domain, bus, device and function.

Returns
-------
Device

Raises
------
ValueError
    For a text that is no address.
cupola.errors.DeviceError
    Where no device has it; those of the CPU platform have none.

Examples
--------
>>> import cupola as cp
>>> with cp.cuda.Device(0) as device:
...     if device.platform == "cuda":
...         found = cp.Device.from_pci_bus_id(device.pci_bus_id))";

inline constexpr const char* kDeviceSynchronizeText = R"(Waits until all work on the device is done.

Raises
------
cupola.errors.CaptureError
    While work of one of its streams is being captured.

Examples
--------
>>> import cupola as cp
>>> device = cp.current_device()
>>> a = cp.ones(3) + 1
>>> device.synchronize())";

inline constexpr const char* kDeviceUseText = R"(Makes it the thread's current device.

Raises
------
cupola.errors.DeviceError
    For a device that is not there.

Examples
--------
>>> import cupola as cp
>>> before = cp.current_device()
>>> cp.Device("cpu:0").use()
>>> cp.current_device()
<Device 'cpu:0'>
>>> before.use())";

}  // namespace cupola::python
