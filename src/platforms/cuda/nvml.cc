#include "platforms/cuda/nvml.h"

#include "cupola/error.h"
#include "platforms/cuda/shared_library.h"

namespace cupola::cuda {
namespace {

const NvmlApi* open_nvml() {
  try {
    const SharedLibrary library("libnvidia-ml.so.1");
    auto* api = new NvmlApi{};
    library.load(api->init, "nvmlInit_v2");
    library.load(api->count, "nvmlDeviceGetCount_v2");
    library.load(api->handle, "nvmlDeviceGetHandleByIndex_v2");
    library.load(api->name, "nvmlDeviceGetName");
    library.load(api->uuid, "nvmlDeviceGetUUID");
    library.load(api->memory, "nvmlDeviceGetMemoryInfo");
    library.load(api->pci, "nvmlDeviceGetPciInfo_v3");
    library.load(api->compute_capability, "nvmlDeviceGetCudaComputeCapability");
    library.load_optional(api->cores, "nvmlDeviceGetNumGpuCores");
    return api->init() == 0 ? api : nullptr;
  } catch (const LibraryError&) {
    return nullptr;
  }
}

}  // namespace

const NvmlApi* nvml_api() {
  static const NvmlApi* const api = open_nvml();
  return api;
}

}  // namespace cupola::cuda
