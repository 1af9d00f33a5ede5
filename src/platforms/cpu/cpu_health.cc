// What can be asked of an emulated device besides its memory, and its health.
#include "platforms/cpu/cpu_driver.h"
#include "platforms/cpu/device_health.h"
#include "platforms/cpu/thread_pool.h"

namespace cupola::cpu {

std::vector<std::pair<std::string, int>> CpuDriver::attributes(int device) {
  check_device(device);
  return {{"AsyncEngineCount", 1},
          {"CanMapHostMemory", 1},
          {"ComputeCapabilityMajor", 0},
          {"ComputeCapabilityMinor", 0},
          {"ConcurrentKernels", 1},
          {"Integrated", 1},
          {"ManagedMemory", 1},
          {"MultiProcessorCount", pool_size()},
          {"PageableMemoryAccess", 1},
          {"UnifiedAddressing", 1},
          {"WarpSize", 1}};
}

bool CpuDriver::has_context(int device) {
  check_device(device);
  return true;
}

std::exception_ptr CpuDriver::fault(int device) {
  check_device(device);
  return device_health(device).fault();
}

// The memory of the process is as it was; only results of the failed work are undefined.
void CpuDriver::clear_fault(int device) {
  check_device(device);
  device_health(device).clear();
}

}  // namespace cupola::cpu
