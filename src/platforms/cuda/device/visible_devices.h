#pragma once
// What CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER make of the GPUs of a machine. Pure: the driver
// has the last word once CUDA is initialised (discovery.h).

#include <cstddef>
#include <string>
#include <vector>

namespace cupola::cuda {

// What the variables know a device by.
struct GpuName {
  std::string uuid;        // "GPU-...", or "MIG-..." for a part of a GPU
  std::string pci_bus_id;  // "00000000:1B:00.0"
  double speed = 0;        // comparable between GPUs of a machine; units and clock
  int parent = -1;         // of a MIG device: the index in the list of its GPU
};

// Indices into `gpus`, without MIG devices, in CUDA's order: with "PCI_BUS_ID" that of the bus,
// else ("FASTEST_FIRST", anything else, or null for not set) the fastest first and equal ones in
// the order of the bus.
std::vector<std::size_t> cuda_order(const std::vector<GpuName>& gpus, const char* device_order);

// Indices into `gpus` that a program sees, in its order. `variable` is CUDA_VISIBLE_DEVICES; null,
// for not set, shows all GPUs. Its entries are separated by commas:
// - Numbers of GPUs in CUDA's order. As with strtol, blanks before a number, a sign and anything
//   behind its digits are passed over ("+1", "1abc").
// - If the list begins with "GPU-" or "MIG-": UUIDs of that kind, or unambiguous beginnings of
// them. The first entry that names no device ends the list, and so does a negative number. A device
// that is named twice empties it.
std::vector<std::size_t> select_visible(const std::vector<GpuName>& gpus, const char* variable,
                                        const char* device_order);

}  // namespace cupola::cuda
