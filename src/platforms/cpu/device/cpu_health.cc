// What can be asked of an emulated device besides its memory, and its health.
#include <limits>

#include "platforms/cpu/device/cpu_driver.h"
#include "platforms/cpu/device/device_health.h"
#include "platforms/cpu/streams/thread_pool.h"

namespace cupola::cpu {

// Limits of blocks and grids are those of kernels that run here (cpu_module.cc).
std::vector<std::pair<std::string, int>> CpuDriver::attributes(int device) {
  check_device(device);
  return {{"AsyncEngineCount", 1},
          {"CanMapHostMemory", 1},
          {"ComputeCapabilityMajor", 0},
          {"ComputeCapabilityMinor", 0},
          {"ConcurrentKernels", 1},
          {"CooperativeLaunch", 1},
          {"Integrated", 1},
          {"ManagedMemory", 1},
          {"MaxBlockDimX", 1024},
          {"MaxBlockDimY", 1024},
          {"MaxBlockDimZ", 64},
          {"MaxGridDimX", std::numeric_limits<int>::max()},
          {"MaxGridDimY", 65535},
          {"MaxGridDimZ", 65535},
          {"MaxPitch", std::numeric_limits<int>::max()},
          {"MaxRegistersPerBlock", 65536},
          {"MaxRegistersPerMultiprocessor", 65536},
          {"MaxSharedMemoryPerBlock", 48 * 1024},
          {"MaxSharedMemoryPerBlockOptin", 227 * 1024},
          {"MaxSharedMemoryPerMultiprocessor", 228 * 1024},
          {"MaxThreadsPerBlock", 1024},
          {"MaxThreadsPerMultiProcessor", 2048},
          {"MultiProcessorCount", pool_size()},
          {"PageableMemoryAccess", 1},
          {"TotalConstantMemory", 65536},
          {"UnifiedAddressing", 1},
          {"WarpSize", 32}};
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
