#pragma once
// What can be asked of devices beyond describe_device(). All throw DeviceError for a device that
// does not exist.

#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cupola/device.h"

namespace cupola {

// Of all threads that chose no current device of their own: the one that was set, else that of the
// environment variable CUPOLA_DEVICE, which may name a set, else the default platform's first.
Device default_device();

// Whether anybody in this process, this library or another, has initialised CUDA; asking does not.
bool cuda_is_initialized();
// Whether anybody made the device's primary context; asking makes none. True for CPU devices.
bool has_context(const Device& device);

// CUDA's attributes by the runtime's names without "cudaDevAttr" ("WarpSize"); few on the CPU.
// Initialises CUDA, but makes no context.
std::vector<std::pair<std::string, int>> device_attributes(const Device& device);
// Whether kernels on `device` can reach the memory of `peer`.
bool can_access_peer(const Device& device, const Device& peer);
// In any common form: "0000:1b:00.0", "00000000:1B:00.0", "1b:00.0". Throws ValueError for a text
// of another form and DeviceError where no device has it. Initialises nothing.
Device device_by_pci_bus_id(PlatformKind platform, std::string_view pci_bus_id);
// 13000 for 13.0: of the installed driver, and of the toolkit in use. 0 on the CPU.
int driver_version(PlatformKind platform);
int runtime_version(PlatformKind platform);

// What the device's asynchronous work failed with; null while it is healthy. Until it is cleared,
// which only CPU devices can be, every use of the device throws: the error itself once, then
// FaultError with its text.
std::exception_ptr device_fault(const Device& device);
void clear_device_fault(const Device& device);

}  // namespace cupola
