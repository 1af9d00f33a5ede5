#include "platforms/cuda/device/nvml.h"

#include <atomic>
#include <cstdint>
#include <mutex>

#include "base/process/fork.h"
#include "base/threads/mutex.h"
#include "cupola/error.h"
#include "platforms/cuda/device/shared_library.h"

namespace cupola::cuda {
namespace {

const NvmlApi* open_nvml() {
  try {
    const SharedLibrary library("libnvidia-ml.so.1");
    auto* api = new NvmlApi{};
    library.load(api->init, "nvmlInit_v2");
    library.load(api->shutdown, "nvmlShutdown");
    library.load(api->count, "nvmlDeviceGetCount_v2");
    library.load(api->handle, "nvmlDeviceGetHandleByIndex_v2");
    library.load(api->handle_by_uuid, "nvmlDeviceGetHandleByUUID");
    library.load(api->name, "nvmlDeviceGetName");
    library.load(api->uuid, "nvmlDeviceGetUUID");
    library.load(api->memory, "nvmlDeviceGetMemoryInfo");
    library.load(api->pci, "nvmlDeviceGetPciInfo_v3");
    library.load(api->compute_capability, "nvmlDeviceGetCudaComputeCapability");
    library.load_optional(api->cores, "nvmlDeviceGetNumGpuCores");
    library.load_optional(api->max_clock, "nvmlDeviceGetMaxClockInfo");
    library.load_optional(api->max_parts, "nvmlDeviceGetMaxMigDeviceCount");
    library.load_optional(api->part, "nvmlDeviceGetMigDeviceHandleByIndex");
    library.load_optional(api->driver_version, "nvmlSystemGetCudaDriverVersion_v2");
    library.load_optional(api->installed_driver, "nvmlSystemGetDriverVersion");
    return api->init() == 0 ? api : nullptr;
  } catch (const LibraryError&) {
    return nullptr;
  }
}

std::atomic<std::uint64_t> usable_in{0};  // the generation of the process, plus 1

}  // namespace

const NvmlApi* nvml_api() {
  static constinit Mutex mutex;
  static const NvmlApi* api = nullptr;
  const std::uint64_t here = fork_generation() + 1;
  if (usable_in.load(std::memory_order_acquire) == here) return api;
  const std::lock_guard lock(mutex);
  const std::uint64_t there = usable_in.load(std::memory_order_relaxed);
  if (there == here) return api;
  if (there == 0) {
    api = open_nvml();
  } else if (!device_initialization().empty()) {
    throw_forked();  // where the parent uses CUDA, NVML ends a child that opens it again
  } else if (api) {
    api->shutdown();
    if (api->init() != 0) api = nullptr;
  }
  usable_in.store(here, std::memory_order_release);
  return api;
}

}  // namespace cupola::cuda
