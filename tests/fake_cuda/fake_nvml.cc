// NVML of the same GPUs: it is asked without cuInit, also in a forked child.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <tuple>

#include "fake_cuda.h"
#include "platforms/cuda/device/nvml.h"

using namespace fake_cuda;
using cupola::cuda::NvmlDevice;
using cupola::cuda::NvmlMemory;
using cupola::cuda::NvmlPciInfo;

namespace {

constexpr int kNotFound = 6;

constexpr std::size_t kPartStep = 100000;  // from one part's handle to the next

NvmlDevice handle_of(int number, int part = -1) {
  return reinterpret_cast<NvmlDevice>(static_cast<std::size_t>(number) + 1 +
                                      kPartStep * static_cast<std::size_t>(part + 1));
}
int number_of(NvmlDevice handle) {
  return static_cast<int>(reinterpret_cast<std::size_t>(handle) % kPartStep) - 1;
}
// -1: a whole GPU.
int part_of(NvmlDevice handle) {
  return static_cast<int>(reinterpret_cast<std::size_t>(handle) / kPartStep) - 1;
}
void write_uuid(NvmlDevice handle, char* text, std::size_t bytes) {
  if (part_of(handle) >= 0) {
    std::snprintf(text, bytes, "%s", uuid_of_part(number_of(handle), part_of(handle)).c_str());
  } else {
    std::snprintf(text, bytes, "GPU-%08x-0000-0000-0000-000000000000", number_of(handle) + 1);
  }
}

}  // namespace

extern "C" {

int nvmlInit_v2() { return std::getenv("FAKE_CUDA_NO_NVML") ? 999 : 0; }
int nvmlShutdown() { return 0; }
int nvmlDeviceGetCount_v2(unsigned int* count) {
  *count = static_cast<unsigned int>(gpu_count());
  return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned int index, NvmlDevice* handle) {
  *handle = handle_of(static_cast<int>(index));
  return 0;
}
int nvmlDeviceGetHandleByUUID(const char* uuid, NvmlDevice* handle) {
  for (int i = 0; i < gpu_count(); ++i) {
    for (int part = -1; part < part_count(); ++part) {
      char text[64];
      *handle = handle_of(i, part);
      write_uuid(*handle, text, sizeof text);
      if (std::strcmp(text, uuid) == 0) return 0;
    }
  }
  return kNotFound;
}
int nvmlDeviceGetMaxMigDeviceCount(NvmlDevice, unsigned int* count) {
  *count = part_count() ? 7 : 0;
  return 0;
}
int nvmlDeviceGetMigDeviceHandleByIndex(NvmlDevice gpu, unsigned int index, NvmlDevice* part) {
  if (index >= static_cast<unsigned int>(part_count())) return kNotFound;
  *part = handle_of(number_of(gpu), static_cast<int>(index));
  return 0;
}
int nvmlDeviceGetName(NvmlDevice device, char* text, unsigned int bytes) {
  std::snprintf(text, bytes, "Fake GPU %d", number_of(device));
  return 0;
}
int nvmlDeviceGetUUID(NvmlDevice device, char* text, unsigned int bytes) {
  write_uuid(device, text, bytes);
  return 0;
}
int nvmlDeviceGetMemoryInfo(NvmlDevice device, NvmlMemory* memory) {
  const std::size_t used = gpu(number_of(device)).used;
  *memory = {kTotalBytes, kTotalBytes - used, used};
  if (part_of(device) >= 0) *memory = {kTotalBytes / 8, kTotalBytes / 8, 0};
  return 0;
}
int nvmlDeviceGetPciInfo_v3(NvmlDevice device, NvmlPciInfo* info) {
  std::snprintf(info->bus_id, sizeof info->bus_id, "%08X:%02X:00.0", 0, number_of(device) + 1);
  return 0;
}
int nvmlDeviceGetCudaComputeCapability(NvmlDevice, int* major, int* minor) {
  std::tie(*major, *minor) = capability();
  return 0;
}
int nvmlDeviceGetNumGpuCores(NvmlDevice device, unsigned int* cores) {
  *cores = (part_of(device) >= 0 ? 16 : 132) * 128;
  return 0;
}
int nvmlSystemGetDriverVersion(char* text, unsigned int bytes) {
  const char* version = std::getenv("FAKE_CUDA_VERSION");
  std::snprintf(text, bytes, "%s", version ? version : "1.2.3");
  return 0;
}
int nvmlSystemGetCudaDriverVersion_v2(int* version) {
  const char* wanted = std::getenv("FAKE_CUDA_API_VERSION");
  *version = wanted ? std::atoi(wanted) : CUDA_VERSION;
  return 0;
}
}
