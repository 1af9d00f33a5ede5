#include "platforms/cuda/device/device_lists.h"

#include "platforms/cuda/device/cuda_api.h"

namespace cupola::cuda {
namespace {

// Arithmetic units of a multiprocessor, by compute capability.
int cores_per_multiprocessor(int major, int minor) {
  if (major == 7 || (major == 8 && minor == 0)) return 64;
  return 128;
}

void add_device(Machine& machine, const NvmlApi& nvml, NvmlDevice handle, int parent) {
  DeviceProperties properties;
  char text[128] = {};
  if (nvml.name(handle, text, sizeof text) == 0) properties.name = text;
  if (nvml.uuid(handle, text, sizeof text) == 0) properties.uuid = text;
  NvmlPciInfo pci{};
  if (nvml.pci(handle, &pci) == 0) properties.pci_bus_id = pci.bus_id;
  NvmlMemory memory{};
  if (nvml.memory(handle, &memory) == 0) properties.total_memory = memory.total;
  int major = 0, minor = 0;
  nvml.compute_capability(handle, &major, &minor);
  properties.compute_major = major;
  properties.compute_minor = minor;
  unsigned int cores = 0;
  if (nvml.cores && nvml.cores(handle, &cores) == 0) {
    properties.multiprocessors = static_cast<int>(cores) / cores_per_multiprocessor(major, minor);
  }
  unsigned int clock = 0;
  if (!nvml.max_clock || nvml.max_clock(handle, kNvmlClockSm, &clock) != 0) clock = 1;
  machine.names.push_back({properties.uuid, properties.pci_bus_id,
                           static_cast<double>(cores) * static_cast<double>(clock), parent});
  machine.devices.push_back({std::move(properties), std::nullopt});
}

void add_parts(Machine& machine, const NvmlApi& nvml, NvmlDevice gpu) {
  if (!nvml.max_parts || !nvml.part) return;
  const int parent = static_cast<int>(machine.devices.size()) - 1;
  unsigned int most = 0;
  if (nvml.max_parts(gpu, &most) != 0) return;
  for (unsigned int i = 0; i < most; ++i) {
    NvmlDevice part = nullptr;
    if (nvml.part(gpu, i, &part) == 0) add_device(machine, nvml, part, parent);
  }
}

}  // namespace

Machine devices_of_nvml(const NvmlApi& nvml) {
  Machine machine;
  unsigned int count = 0;
  if (nvml.count(&count) != 0) return machine;
  for (unsigned int i = 0; i < count; ++i) {
    NvmlDevice handle = nullptr;
    if (nvml.handle(i, &handle) != 0) continue;
    add_device(machine, nvml, handle, -1);
    add_parts(machine, nvml, handle);
  }
  return machine;
}

DeviceList devices_of_driver() {
  initialize_cuda();
  int count = 0;
  CUPOLA_CUDA(-1, cuDeviceGetCount, &count);
  DeviceList devices;
  for (int i = 0; i < count; ++i) {
    CUdevice device = 0;
    CUPOLA_CUDA(i, cuDeviceGet, &device, i);
    FoundDevice found;
    found.native = device;
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

}  // namespace cupola::cuda
