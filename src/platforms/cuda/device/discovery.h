#pragma once
// Which GPUs there are. Until CUDA is initialised NVML is asked, which initialises nothing; after
// that the driver's answer counts.

#include <cuda.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "driver/driver.h"

namespace cupola::cuda {

struct FoundDevice {
  DeviceProperties properties;
  std::optional<CUdevice> native;  // known once CUDA is initialised
};
using DeviceList = std::vector<FoundDevice>;

// The devices that the program sees, in its order: until CUDA is initialised, by whomever, what
// CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER say now; from then on what the driver shows. Where the
// two differ, or the variable changes too late, there is a warning with both.
std::shared_ptr<const DeviceList> visible_devices();

// Throws DeviceError with the number of devices there are.
FoundDevice found_device(int device);

// CUDA's own number; CUDA must be initialised.
CUdevice native_device(int device);

// Free and total memory now, of all processes.
MemoryInfo nvml_memory(const FoundDevice& device);

}  // namespace cupola::cuda
