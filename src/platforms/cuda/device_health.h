#pragma once
// The health of each GPU.

#include "driver/health.h"

namespace cupola::cuda {

// For any number from 0; it lives for ever.
DeviceHealth& device_health(int device);

}  // namespace cupola::cuda
