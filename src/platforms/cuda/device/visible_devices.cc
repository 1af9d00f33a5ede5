#include "platforms/cuda/device/visible_devices.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "base/mutant.h"

namespace cupola::cuda {
namespace {

using Indices = std::vector<std::size_t>;

std::vector<std::string> entries_of(const std::string& list) {
  std::vector<std::string> entries;
  std::size_t begin = 0;
  for (;;) {
    const std::size_t comma = list.find(',', begin);
    entries.push_back(list.substr(begin, comma - begin));
    if (comma == std::string::npos) return entries;
    begin = comma + 1;
  }
}

// The device that a beginning of a UUID names, unless there are several. What follows a whole UUID
// is not looked at.
std::optional<std::size_t> by_uuid(const std::vector<GpuName>& gpus, std::string_view entry,
                                   std::string_view kind) {
  if (!entry.starts_with(kind) || entry == "GPU-") return std::nullopt;
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    if (!gpus[i].uuid.starts_with(entry.substr(0, gpus[i].uuid.size()))) continue;
    if (found) return std::nullopt;
    found = i;
  }
  return found;
}

std::optional<std::size_t> by_number(const Indices& order, const std::string& entry) {
  char* end = nullptr;
  errno = 0;
  const long value = std::strtol(entry.c_str(), &end, 10);
  if (end == entry.c_str() || errno == ERANGE) return std::nullopt;
  const int number = static_cast<int>(value);  // as CUDA does it: modulo 2^32
  if (number < 0) return std::nullopt;
  if (static_cast<std::size_t>(number) >= order.size()) return std::nullopt;
  return order[static_cast<std::size_t>(number)];
}

// "MIG-GPU-<uuid>/<gpu instance>/<compute instance>" is the older form of a name.
std::string_view kind_of(std::string_view list) {
  for (const std::string_view kind : {"GPU-", "MIG-"}) {
    if (list.starts_with(kind)) return kind;
  }
  return {};
}

}  // namespace

std::vector<std::size_t> cuda_order(const std::vector<GpuName>& gpus, const char* device_order) {
  Indices order;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    if (gpus[i].parent < 0) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (CUPOLA_MUTANT(order_of_the_list)) return a < b;
    return gpus[a].pci_bus_id < gpus[b].pci_bus_id;
  });
  if (device_order && std::string_view(device_order) == "PCI_BUS_ID") return order;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return gpus[a].speed > gpus[b].speed; });
  return order;
}

std::vector<std::size_t> select_visible(const std::vector<GpuName>& gpus, const char* variable,
                                        const char* device_order) {
  const Indices order = cuda_order(gpus, device_order);
  if (!variable) return order;
  const std::string_view kind = kind_of(variable);
  Indices selected;
  for (const std::string& entry : entries_of(variable)) {
    const std::optional<std::size_t> device =
        kind.empty() ? by_number(order, entry) : by_uuid(gpus, entry, kind);
    if (!device) break;
    if (std::find(selected.begin(), selected.end(), *device) != selected.end()) return {};
    selected.push_back(*device);
  }
  return selected;
}

}  // namespace cupola::cuda
