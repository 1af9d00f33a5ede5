#pragma once
// The health of each emulated device.

#include "driver/health.h"

namespace cupola::cpu {

// For any number from 0; it lives for ever.
DeviceHealth& device_health(int device);

}  // namespace cupola::cpu
