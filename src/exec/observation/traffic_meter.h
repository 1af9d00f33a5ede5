#pragma once
// How much the process launches and copies, for those who look at it from time to time.

#include <cstdint>

namespace cupola {

// Sums of the time in which the meter ran.
struct MeteredTraffic {
  std::int64_t kernels = 0;
  std::int64_t kernel_bytes = 0;  // read and written
  std::int64_t to_device = 0;     // bytes
  std::int64_t to_host = 0;
  std::int64_t between_devices = 0;
};

// Starts and stops are counted: it runs until each start has had its stop.
void start_traffic_meter();
void stop_traffic_meter();
MeteredTraffic metered_traffic();

}  // namespace cupola
