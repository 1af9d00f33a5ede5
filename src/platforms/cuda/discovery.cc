#include "platforms/cuda/discovery.h"

#include <fmt/format.h>

#include <cstdlib>
#include <mutex>
#include <optional>

#include "cupola/error.h"
#include "platforms/cuda/cuda_api.h"
#include "platforms/cuda/nvml.h"

namespace cupola::cuda {
namespace {

// Arithmetic units of a multiprocessor, by compute capability.
int cores_per_multiprocessor(int major, int minor) {
  if (major == 7 || (major == 8 && minor == 0)) return 64;
  return 128;
}

DeviceList devices_of_nvml(const NvmlApi& nvml) {
  unsigned int count = 0;
  if (nvml.count(&count) != 0) return {};
  DeviceList devices;
  for (unsigned int i = 0; i < count; ++i) {
    NvmlDevice handle = nullptr;
    if (nvml.handle(i, &handle) != 0) continue;
    FoundDevice found;
    found.nvml_handle = handle;
    char text[128] = {};
    if (nvml.name(handle, text, sizeof text) == 0) found.properties.name = text;
    if (nvml.uuid(handle, text, sizeof text) == 0) found.properties.uuid = text;
    NvmlPciInfo pci{};
    if (nvml.pci(handle, &pci) == 0) found.properties.pci_bus_id = pci.bus_id;
    NvmlMemory memory{};
    if (nvml.memory(handle, &memory) == 0) found.properties.total_memory = memory.total;
    int major = 0, minor = 0;
    nvml.compute_capability(handle, &major, &minor);
    found.properties.compute_major = major;
    found.properties.compute_minor = minor;
    unsigned int cores = 0;
    if (nvml.cores && nvml.cores(handle, &cores) == 0) {
      found.properties.multiprocessors =
          static_cast<int>(cores) / cores_per_multiprocessor(major, minor);
    }
    devices.push_back(std::move(found));
  }
  return devices;
}

// Without NVML there is no way but to initialise CUDA, which applies CUDA_VISIBLE_DEVICES itself.
DeviceList devices_of_cuda() {
  initialize_cuda();
  int count = 0;
  CUPOLA_CUDA(-1, cuDeviceGetCount, &count);
  DeviceList devices;
  for (int i = 0; i < count; ++i) {
    CUdevice device = 0;
    CUPOLA_CUDA(i, cuDeviceGet, &device, i);
    FoundDevice found;
    char text[128] = {};
    CUPOLA_CUDA(i, cuDeviceGetName, text, sizeof text, device);
    found.properties.name = text;
    CUuuid uuid{};
    CUPOLA_CUDA(i, cuDeviceGetUuid, &uuid, device);
    found.properties.uuid = uuid_text(uuid);
    CUPOLA_CUDA(i, cuDeviceGetPCIBusId, text, sizeof text, device);
    found.properties.pci_bus_id = text;
    CUPOLA_CUDA(i, cuDeviceTotalMem, &found.properties.total_memory, device);
    CUPOLA_CUDA(i, cuDeviceGetAttribute, &found.properties.compute_major,
                CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
    CUPOLA_CUDA(i, cuDeviceGetAttribute, &found.properties.compute_minor,
                CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
    CUPOLA_CUDA(i, cuDeviceGetAttribute, &found.properties.multiprocessors,
                CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
    devices.push_back(std::move(found));
  }
  return devices;
}

// The device that one entry of CUDA_VISIBLE_DEVICES names.
const FoundDevice* find_device(const DeviceList& all, const std::string& entry) {
  if (entry.starts_with("GPU-")) {
    const FoundDevice* match = nullptr;
    for (const FoundDevice& device : all) {
      if (!device.properties.uuid.starts_with(entry)) continue;
      if (match) return nullptr;  // ambiguous
      match = &device;
    }
    return match;
  }
  char* end = nullptr;
  const long ordinal = std::strtol(entry.c_str(), &end, 10);
  if (entry.empty() || *end != '\0' || ordinal < 0) return nullptr;
  if (ordinal >= static_cast<long>(all.size())) return nullptr;
  return &all[static_cast<std::size_t>(ordinal)];
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

struct Visible {
  std::mutex mutex;
  std::optional<std::string> variable;
  std::shared_ptr<const DeviceList> devices;
};

}  // namespace

DeviceList select_devices(const DeviceList& all, const char* visible) {
  if (!visible) return all;
  DeviceList selected;
  std::string list = visible;
  for (bool more = true; more;) {
    const std::size_t comma = list.find(',');
    more = comma != std::string::npos;
    const FoundDevice* device = find_device(all, trimmed(list.substr(0, comma)));
    if (!device) break;
    for (const FoundDevice& other : selected) {
      if (other.properties.uuid == device->properties.uuid) return {};  // as CUDA: no device
    }
    selected.push_back(*device);
    if (more) list.erase(0, comma + 1);
  }
  return selected;
}

std::shared_ptr<const DeviceList> visible_devices() {
  static Visible& state = *new Visible;
  const std::scoped_lock lock(state.mutex);
  const char* value = std::getenv("CUDA_VISIBLE_DEVICES");
  const auto variable = value ? std::optional<std::string>(value) : std::nullopt;
  if (state.devices && (cuda_is_initialized() || variable == state.variable)) {
    return state.devices;
  }
  const NvmlApi* nvml = nvml_api();
  state.devices = std::make_shared<const DeviceList>(
      nvml ? select_devices(devices_of_nvml(*nvml), value) : devices_of_cuda());
  state.variable = variable;
  return state.devices;
}

FoundDevice found_device(int device) {
  const auto devices = visible_devices();
  if (device < 0 || device >= static_cast<int>(devices->size())) {
    throw DeviceError(fmt::format("cuda:{} does not exist: there {} {} CUDA device{}", device,
                                  devices->size() == 1 ? "is" : "are", devices->size(),
                                  devices->size() == 1 ? "" : "s"));
  }
  return (*devices)[static_cast<std::size_t>(device)];
}

MemoryInfo nvml_memory(const FoundDevice& device) {
  NvmlMemory memory{};
  const NvmlApi* nvml = nvml_api();
  if (nvml && nvml->memory(static_cast<NvmlDevice>(device.nvml_handle), &memory) == 0) {
    return {memory.free, memory.total};
  }
  return {0, device.properties.total_memory};
}

}  // namespace cupola::cuda
