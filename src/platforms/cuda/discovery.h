#pragma once
// Which GPUs there are, asked of NVML, so that nothing is initialised.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "driver/driver.h"

namespace cupola::cuda {

struct FoundDevice {
  DeviceProperties properties;
  void* nvml_handle = nullptr;  // null where NVML is not there
};
using DeviceList = std::vector<FoundDevice>;

// The devices that CUDA_VISIBLE_DEVICES leaves, in its order. As the variable stands now until
// CUDA is initialised; after that as it stood then.
std::shared_ptr<const DeviceList> visible_devices();

// Throws DeviceError that names the devices there are.
FoundDevice found_device(int device);

// Free and total memory now, of all processes.
MemoryInfo nvml_memory(const FoundDevice& device);

// The part of `all` that `visible` (the value of CUDA_VISIBLE_DEVICES; null: not set) selects:
// ordinals and UUIDs (or unambiguous beginnings of these), up to the first that does not exist.
DeviceList select_devices(const DeviceList& all, const char* visible);

}  // namespace cupola::cuda
