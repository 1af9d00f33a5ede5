// Initialisation, devices and contexts.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "fake_cuda.h"

namespace fake_cuda {
namespace {

struct State {
  std::mutex mutex;
  std::vector<Gpu> gpus;
  std::vector<int> visible;  // GPU of each of CUDA's numbers
  pid_t initialized_by = 0;
  bool exiting = false;
};

State& state() {
  static State& instance = *[] {
    auto* made = new State;
    const char* count = std::getenv("FAKE_CUDA_DEVICES");
    made->gpus.resize(count ? std::strtoul(count, nullptr, 10) : 2);
    return made;
  }();
  return instance;
}

thread_local std::vector<CUcontext> contexts;

// A context is the address of its GPU.
CUcontext context_of(int number) { return reinterpret_cast<CUcontext>(&state().gpus[number]); }
int number_of(CUcontext context) {
  return static_cast<int>(reinterpret_cast<Gpu*>(context) - state().gpus.data());
}

std::string uuid_text(int number) {
  char text[64];
  std::snprintf(text, sizeof text, "GPU-%08x-0000-0000-0000-000000000000", number + 1);
  return text;
}

bool has_part(int number, const std::string& uuid) {
  for (int part = 0; part < part_count(); ++part) {
    if (uuid_of_part(number, part) == uuid) return true;
  }
  return false;
}

// Plain numbers and UUIDs only; anything else ends the list.
std::vector<int> visible_gpus() {
  std::vector<int> visible;
  const char* variable = std::getenv("CUDA_VISIBLE_DEVICES");
  if (!variable) {
    for (int i = 0; i < gpu_count(); ++i) visible.push_back(i);
    return visible;
  }
  std::string list = std::string(variable) + ",";
  for (std::size_t comma; (comma = list.find(',')) != std::string::npos; list.erase(0, comma + 1)) {
    const std::string entry = list.substr(0, comma);
    int number = 0;
    if (entry.starts_with("MIG-")) {
      while (number < gpu_count() && !has_part(number, entry)) ++number;
    } else if (entry.starts_with("GPU-")) {
      while (number < gpu_count() && !uuid_text(number).starts_with(entry)) ++number;
    } else {
      char* end = nullptr;
      const long parsed = std::strtol(entry.c_str(), &end, 10);
      number = end == entry.c_str() || parsed < 0 ? gpu_count() : static_cast<int>(parsed);
    }
    if (number >= gpu_count()) break;
    visible.push_back(number);
  }
  return visible;
}

}  // namespace

int gpu_count() { return static_cast<int>(state().gpus.size()); }
Gpu& gpu(int number) { return state().gpus[static_cast<std::size_t>(number)]; }

std::pair<int, int> capability() {
  std::pair<int, int> result{9, 0};
  if (const char* text = std::getenv("FAKE_CUDA_CAPABILITY")) {
    std::sscanf(text, "%d.%d", &result.first, &result.second);
  }
  return result;
}

int part_count() {
  const char* count = std::getenv("FAKE_CUDA_PARTS");
  return count ? std::atoi(count) : 0;
}
std::string uuid_of_part(int gpu, int part) {
  char text[64];
  std::snprintf(text, sizeof text, "MIG-%08x-%04x-0000-0000-000000000000", gpu + 1, part + 1);
  return text;
}

CUuuid uuid_of(int number) {
  CUuuid uuid{};
  uuid.bytes[3] = static_cast<char>(number + 1);
  uuid.bytes[2] = static_cast<char>((number + 1) >> 8);
  return uuid;
}

CUresult enter(const char* name) {
  State& all = state();
  if (all.exiting) std::fprintf(stderr, "fake_cuda: %s at the end of the process\n", name);
  if (all.initialized_by == 0) return CUDA_ERROR_NOT_INITIALIZED;
  if (all.initialized_by != getpid()) {
    std::fprintf(stderr, "fake_cuda: %s in a forked child\n", name);
    return CUDA_ERROR_NOT_INITIALIZED;
  }
  return static_cast<CUresult>(note_call(name));
}

Peers peers(int device, int other) {
  const char* variable = std::getenv("FAKE_CUDA_PEERS");
  for (const char* entry = variable; entry && *entry; ++entry) {
    int first = -1, second = -1;
    char how[16] = {};
    std::sscanf(entry, "%d-%d:%15[a-z]", &first, &second, how);
    if (std::minmax(first, second) == std::minmax(device, other)) {
      const std::string text = how;
      return text == "none" ? Peers::none : text == "lies" ? Peers::lies : Peers::stuck;
    }
    entry = std::strchr(entry, ',');
    if (!entry) break;
  }
  return Peers::good;
}

CUresult enter_context(const char* name, int* device) {
  if (const CUresult refused = enter(name)) return refused;
  if (contexts.empty()) return CUDA_ERROR_INVALID_CONTEXT;
  const int number = number_of(contexts.back());
  if (device) *device = number;
  return gpu(number).fault;
}

}  // namespace fake_cuda

using namespace fake_cuda;

void fake_cuda_fail(int device, int code) { gpu(device).fault = static_cast<CUresult>(code); }
std::size_t fake_cuda_used(int device) { return gpu(device).used; }
void fake_cuda_mark_exit() { state().exiting = true; }

#define ENTER(NAME) \
  if (const CUresult refused = enter(#NAME)) return refused

CUresult cuInit(unsigned int) {
  State& all = state();
  const std::lock_guard lock(all.mutex);
  if (all.initialized_by == getpid()) return CUDA_SUCCESS;
  if (all.initialized_by != 0) return enter("cuInit");
  all.visible = visible_gpus();
  for (const int number : all.visible) gpu(number).used += kInitBytes;
  all.initialized_by = getpid();
  return all.visible.empty() ? CUDA_ERROR_NO_DEVICE : CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int* version) {
  const char* wanted = std::getenv("FAKE_CUDA_API_VERSION");
  *version = wanted ? std::atoi(wanted) : CUDA_VERSION;
  return static_cast<CUresult>(note_call("cuDriverGetVersion"));
}

CUresult cuGetErrorName(CUresult error, const char** text) {
  switch (error) {
    case CUDA_ERROR_NOT_INITIALIZED:
      *text = "CUDA_ERROR_NOT_INITIALIZED";
      return CUDA_SUCCESS;
    case CUDA_ERROR_ILLEGAL_ADDRESS:
      *text = "CUDA_ERROR_ILLEGAL_ADDRESS";
      return CUDA_SUCCESS;
    default:
      *text = "CUDA_ERROR_OF_THE_FAKE";
      return CUDA_SUCCESS;
  }
}

CUresult cuGetErrorString(CUresult, const char** text) {
  *text = "as the fake driver says";
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) {
  ENTER(cuDeviceGetCount);
  *count = static_cast<int>(state().visible.size());
  return CUDA_SUCCESS;
}

// A CUdevice is the number of the GPU, not its ordinal.
CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  ENTER(cuDeviceGet);
  if (ordinal < 0 || ordinal >= static_cast<int>(state().visible.size())) {
    return CUDA_ERROR_INVALID_DEVICE;
  }
  *device = state().visible[static_cast<std::size_t>(ordinal)];
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char* name, int bytes, CUdevice device) {
  ENTER(cuDeviceGetName);
  std::snprintf(name, static_cast<std::size_t>(bytes), "Fake GPU %d", device);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  ENTER(cuDeviceGetUuid);
  *uuid = uuid_of(device);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char* text, int bytes, CUdevice device) {
  ENTER(cuDeviceGetPCIBusId);
  std::snprintf(text, static_cast<std::size_t>(bytes), "%08X:%02X:00.0", 0, device + 1);
  return CUDA_SUCCESS;
}

namespace {

int usual_attribute(CUdevice_attribute attribute) {
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
      return 32;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      return capability().first;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
      return capability().second;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      return 132;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      return 1024;
    case CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH:
    case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED:
      return 1;
    default:
      return 0;
  }
}

}  // namespace

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice) {
  ENTER(cuDeviceGetAttribute);
  *value = device_attribute(attribute, usual_attribute(attribute));
  return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem(std::size_t* bytes, CUdevice) {
  ENTER(cuDeviceTotalMem);
  *bytes = kTotalBytes;
  return CUDA_SUCCESS;
}

CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  ENTER(cuDeviceCanAccessPeer);
  *can = device != peer && peers(device, peer) != Peers::none;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  ENTER(cuDevicePrimaryCtxRetain);
  const std::lock_guard lock(state().mutex);
  Gpu& one = gpu(device);
  if (one.retained++ == 0) {
    one.active = true;
    one.used += kContextBytes;
  }
  *context = context_of(device);
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int* flags, int* active) {
  ENTER(cuDevicePrimaryCtxGetState);
  *flags = 0;
  *active = gpu(device).active;
  return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent(CUcontext context) {
  ENTER(cuCtxPushCurrent);
  contexts.push_back(context);
  return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent(CUcontext* context) {
  ENTER(cuCtxPopCurrent);
  if (contexts.empty()) return CUDA_ERROR_INVALID_CONTEXT;
  *context = contexts.back();
  contexts.pop_back();
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  ENTER(cuCtxGetCurrent);
  *context = contexts.empty() ? nullptr : contexts.back();
  return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice* device) { return enter_context("cuCtxGetDevice", device); }

CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0;
  *greatest = -5;
  return enter_context("cuCtxGetStreamPriorityRange");
}

CUresult cuCtxEnablePeerAccess(CUcontext, unsigned int) {
  return enter_context("cuCtxEnablePeerAccess");
}
