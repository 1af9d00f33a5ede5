#include <atomic>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "base/process/environment.h"
#include "base/threads/lazy.h"
#include "cupola/device_info.h"
#include "cupola/error.h"
#include "cupola/runtime.h"
#include "driver/registry.h"

namespace cupola {

namespace {

PlatformKind choose_platform() {
  const char* choice = environment_value("CUPOLA_PLATFORM");
  if (!choice) {
    return device_count(PlatformKind::cuda) > 0 ? PlatformKind::cuda : PlatformKind::cpu;
  }
  const std::string name = choice;
  if (name == "cpu") return PlatformKind::cpu;
  if (name != "cuda") {
    throw ValueError(
        fmt::format("CUPOLA_PLATFORM is '{}'; the platforms are 'cpu' and 'cuda'", name));
  }
  std::string reason;
  const Driver* cuda = find_driver(PlatformKind::cuda, &reason);
  if (!cuda || device_count(PlatformKind::cuda) == 0) {
    throw DeviceError(
        fmt::format("CUPOLA_PLATFORM asks for cuda, but no GPU is usable: {}",
                    reason.empty() ? "no device is visible (see CUDA_VISIBLE_DEVICES)" : reason));
  }
  return PlatformKind::cuda;
}

std::optional<Device>& thread_device() {
  thread_local std::optional<Device> device;
  return device;
}

// Platform and index of the process's default device in one; -1: none was set.
constexpr int kIndices = Device::kEndOfIndices;
std::atomic<int> chosen_device{-1};

Device first_default() {
  const char* name = environment_value("CUPOLA_DEVICE");
  if (!name) return Device(default_platform(), 0);
  const Device device = Device::parse(name);
  check_device(device);
  return device;
}

// `asked`: the device itself, or the set that it is a member of.
void check_index(const Device& device, const Device& asked) {
  std::string reason;
  Driver* found = find_driver(device.platform(), &reason);
  const int count = found ? found->device_count() : 0;
  if (device.index() >= 0 && device.index() < count) return;
  throw DeviceError(
      fmt::format("there is no device {}{}: the platform {} has {} device{}{}", device.to_string(),
                  asked.is_set() ? fmt::format(", which the set {} names", asked.to_string()) : "",
                  name_of(device.platform()), count, count == 1 ? "" : "s",
                  reason.empty() ? "" : fmt::format(" ({})", reason)));
}

}  // namespace

int device_count(PlatformKind platform) {
  Driver* found = find_driver(platform);
  return found ? found->device_count() : 0;
}

PlatformKind default_platform() {
  static constinit Lazy<const PlatformKind> platform;
  return platform.get(choose_platform);
}

void check_device(const Device& device) {
  for (const int index : device.members()) check_index(Device(device.platform(), index), device);
}

DeviceDescription describe_device(const Device& device) {
  check_device(device);
  Driver& platform = driver(device);
  DeviceProperties properties = platform.properties(device.index());
  const MemoryInfo memory = platform.memory_info(device.index());
  return {std::move(properties.name),
          memory.total,
          memory.free,
          properties.compute_major,
          properties.compute_minor,
          properties.multiprocessors,
          std::move(properties.uuid),
          std::move(properties.pci_bus_id)};
}

Device default_device() {
  const int chosen = chosen_device.load(std::memory_order_relaxed);
  if (chosen >= 0) return Device(static_cast<PlatformKind>(chosen / kIndices), chosen % kIndices);
  static constinit Lazy<const Device> device;
  return device.get(first_default);
}

Device current_device() {
  const std::optional<Device>& device = thread_device();
  return device ? *device : default_device();
}

void set_current_device(const Device& device) {
  check_device(device);
  thread_device() = device;
}

void set_default_device(const Device& device) {
  check_device(device);
  chosen_device = static_cast<int>(device.platform()) * kIndices + device.index();
}

}  // namespace cupola
