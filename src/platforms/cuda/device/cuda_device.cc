// What can be asked of a GPU, and its health.
#include <fmt/format.h>

#include "cupola/error.h"
#include "platforms/cuda/device/context.h"
#include "platforms/cuda/device/cuda_api.h"
#include "platforms/cuda/device/cuda_driver.h"
#include "platforms/cuda/device/device_health.h"
#include "platforms/cuda/device/discovery.h"
#include "platforms/cuda/device/nvml.h"

namespace cupola::cuda {
namespace {

struct Attribute {
  const char* name;
  int number;
};
constexpr Attribute kAttributes[] = {
#define CUPOLA_DEVICE_ATTRIBUTE(NAME, NUMBER) {#NAME, NUMBER},
#include "platforms/cuda/device/device_attributes.def"
#undef CUPOLA_DEVICE_ATTRIBUTE
};

}  // namespace

int CudaDriver::device_count() { return static_cast<int>(visible_devices()->size()); }

DeviceProperties CudaDriver::properties(int device) {
  DeviceProperties properties = found_device(device).properties;
  properties.free_operations = 32;
  return properties;
}

MemoryInfo CudaDriver::memory_info(int device) { return nvml_memory(found_device(device)); }

std::vector<std::pair<std::string, int>> CudaDriver::attributes(int device) {
  found_device(device);  // throws before anything is initialised
  initialize_cuda();
  const CUdevice native = native_device(device);
  std::vector<std::pair<std::string, int>> attributes;
  for (const Attribute& attribute : kAttributes) {
    int value = 0;
    // An older driver does not know all.
    if (cuda_api().cuDeviceGetAttribute(&value, static_cast<CUdevice_attribute>(attribute.number),
                                        native) == CUDA_SUCCESS) {
      attributes.emplace_back(attribute.name, value);
    }
  }
  return attributes;
}

bool CudaDriver::can_access_peer(int device, int peer) {
  found_device(device);
  found_device(peer);
  if (device == peer) return false;
  initialize_cuda();
  int can = 0;
  CUPOLA_CUDA(device, cuDeviceCanAccessPeer, &can, native_device(device), native_device(peer));
  return can != 0;
}

int CudaDriver::driver_version() {
  int version = 0;
  const NvmlApi* nvml = nvml_api();
  if (nvml && nvml->driver_version && nvml->driver_version(&version) == 0) return version;
  CUPOLA_CUDA(-1, cuDriverGetVersion, &version);
  return version;
}

// The toolkit whose interface this platform is written to.
int CudaDriver::runtime_version() { return CUDA_VERSION; }

bool CudaDriver::is_initialized() { return cuda_is_initialized_by_anybody(); }

bool CudaDriver::has_context(int device) { return context_exists(device); }

std::exception_ptr CudaDriver::fault(int device) {
  found_device(device);
  return device_health(device).fault();
}

void CudaDriver::clear_fault(int device) {
  found_device(device);
  const DeviceHealth& health = device_health(device);
  if (!health.is_failed()) return;
  throw DeviceError(fmt::format(
      "cuda:{} cannot be made usable again in this process: its context is lost, and every array "
      "on it. Start a new process.",
      device));
}

}  // namespace cupola::cuda
