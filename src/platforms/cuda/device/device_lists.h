#pragma once
// The two sources of discovery.

#include <vector>

#include "platforms/cuda/device/discovery.h"
#include "platforms/cuda/device/nvml.h"
#include "platforms/cuda/device/visible_devices.h"

namespace cupola::cuda {

// Every GPU of the machine, MIG devices behind their GPU, and what the variables know them by.
struct Machine {
  DeviceList devices;
  std::vector<GpuName> names;
};
Machine devices_of_nvml(const NvmlApi& nvml);

// What the driver shows, which applies the variables itself. Initialises CUDA.
DeviceList devices_of_driver();

}  // namespace cupola::cuda
