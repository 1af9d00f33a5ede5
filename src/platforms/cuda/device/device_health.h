#pragma once
// The health of each GPU.

#include <string>

#include "driver/health.h"

namespace cupola::cuda {

// For any number from 0; it lives for ever.
DeviceHealth& device_health(int device);
// What other devices failed with, as "; cuda:0 had failed before: ..."; empty if none has. Faults
// such as an illegal address end the work of all devices of a process.
std::string faults_elsewhere(int device);

}  // namespace cupola::cuda
