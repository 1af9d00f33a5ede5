#include "cupola/device_info.h"

#include <fmt/format.h>

#include <cstdio>
#include <optional>
#include <string>

#include "cupola/error.h"
#include "cupola/runtime.h"
#include "driver/registry.h"

namespace cupola {

namespace {

Driver& driver_of(const Device& device) {
  check_device(device);
  return driver(device);
}

struct PciAddress {
  unsigned int domain = 0, bus = 0, device = 0, function = 0;
  friend bool operator==(const PciAddress&, const PciAddress&) = default;
};

std::optional<PciAddress> parse_pci(std::string_view text) {
  const std::string copy(text);
  PciAddress address;
  int end = 0;
  const auto is_all = [&] { return end > 0 && static_cast<std::size_t>(end) == copy.size(); };
  if (std::sscanf(copy.c_str(), "%8x:%2x:%2x.%1x%n", &address.domain, &address.bus, &address.device,
                  &address.function, &end) == 4 &&
      is_all()) {
    return address;
  }
  address = {};
  end = 0;
  if (std::sscanf(copy.c_str(), "%2x:%2x.%1x%n", &address.bus, &address.device, &address.function,
                  &end) == 3 &&
      is_all()) {
    return address;
  }
  return std::nullopt;
}

}  // namespace

bool cuda_is_initialized() {
  Driver* loaded = find_loaded_driver(PlatformKind::cuda);
  return loaded ? loaded->is_initialized() : others_initialized_cuda();
}

bool has_context(const Device& device) { return driver_of(device).has_context(device.index()); }

std::vector<std::pair<std::string, int>> device_attributes(const Device& device) {
  return driver_of(device).attributes(device.index());
}

bool can_access_peer(const Device& device, const Device& peer) {
  check_device(peer);
  if (device.platform() != peer.platform()) return false;
  return driver_of(device).can_access_peer(device.index(), peer.index());
}

Device device_by_pci_bus_id(PlatformKind platform, std::string_view pci_bus_id) {
  const std::optional<PciAddress> wanted = parse_pci(pci_bus_id);
  if (!wanted) {
    throw ValueError(fmt::format(
        "'{}' is no PCI bus id; one looks like 0000:1b:00.0 (domain:bus:device.function)",
        pci_bus_id));
  }
  std::string known;
  const int count = device_count(platform);
  for (int i = 0; i < count; ++i) {
    const std::string id = driver(platform).properties(i).pci_bus_id;
    if (parse_pci(id) == wanted) return Device(platform, i);
    known += (i == 0 ? "" : ", ") + (id.empty() ? "none" : id);
  }
  throw DeviceError(
      fmt::format("no device of the platform {} has the PCI bus id {}; there are [{}]",
                  name_of(platform), pci_bus_id, known));
}

int driver_version(PlatformKind platform) { return driver(platform).driver_version(); }
int runtime_version(PlatformKind platform) { return driver(platform).runtime_version(); }

std::exception_ptr device_fault(const Device& device) {
  return driver_of(device).fault(device.index());
}

void clear_device_fault(const Device& device) { driver_of(device).clear_fault(device.index()); }

}  // namespace cupola
