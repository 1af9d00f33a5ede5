#include "platforms/cuda/device/discovery.h"

#include <fmt/format.h>

#include <cstdlib>
#include <mutex>
#include <utility>

#include "base/mutant.h"
#include "base/process/fork.h"
#include "cupola/error.h"
#include "cupola/warnings.h"
#include "platforms/cuda/device/cuda_api.h"
#include "platforms/cuda/device/device_lists.h"
#include "platforms/cuda/device/device_table.h"

namespace cupola::cuda {
namespace {

using Devices = std::shared_ptr<const DeviceList>;
using Variable = std::optional<std::string>;

struct Environment {
  Variable visible;
  Variable order;
  friend bool operator==(const Environment&, const Environment&) = default;
};

Variable variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? Variable(value) : std::nullopt;
}

Environment environment() {
  return {variable("CUDA_VISIBLE_DEVICES"), variable("CUDA_DEVICE_ORDER")};
}

const char* text_of(const Variable& value) { return value ? value->c_str() : nullptr; }

std::string shown(const Environment& values) {
  const auto each = [](const char* name, const Variable& value) {
    return value ? fmt::format("{}='{}'", name, *value) : fmt::format("{} not set", name);
  };
  return each("CUDA_VISIBLE_DEVICES", values.visible) + ", " +
         each("CUDA_DEVICE_ORDER", values.order);
}

std::string shown(const DeviceList& devices) {
  std::string text;
  for (const FoundDevice& device : devices) {
    text += (text.empty() ? "" : ", ") + device.properties.uuid;
  }
  return "[" + text + "]";
}

// What is known, for the environment in which it became known.
struct Known {
  Known() { lock_at_fork(ForkLayer::platform, mutex); }
  std::mutex mutex;
  Devices devices;
  Environment environment;
  bool from_driver = false;
  Environment warned;   // of this change since then
  std::string warning;  // to be shown once the mutex is free: showing it may run any code
};

// With the library, so that no thread is making it during a fork.
Known& known = *new Known;

// Null without NVML.
Devices ask_nvml(const Environment& values) {
  const NvmlApi* nvml = nvml_api();
  if (!nvml) return nullptr;
  const Machine machine = devices_of_nvml(*nvml);
  DeviceList devices;
  for (const std::size_t index :
       select_visible(machine.names, text_of(values.visible), text_of(values.order))) {
    devices.push_back(machine.devices[index]);
  }
  return std::make_shared<const DeviceList>(std::move(devices));
}

bool is_same(const DeviceList& a, const DeviceList& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    // A part of a GPU has different names with NVML and the driver.
    const std::string& first = a[i].properties.uuid;
    const std::string& second = b[i].properties.uuid;
    if (first != second && first.starts_with("GPU-")) return false;
  }
  return true;
}

// Keeps NVML's texts where both describe the same devices.
Devices merged(const Devices& expected, DeviceList shown_by_driver) {
  if (expected && is_same(*expected, shown_by_driver)) {
    DeviceList devices = *expected;
    for (std::size_t i = 0; i < devices.size(); ++i) devices[i].native = shown_by_driver[i].native;
    return std::make_shared<const DeviceList>(std::move(devices));
  }
  if (expected) {
    known.warning = fmt::format(
        "CUDA shows other devices than its environment asks for now ({}): CUDA was initialised{} "
        "with {}, the environment selects {}. CUDA's answer counts in this process; set the "
        "variables before anything initialises CUDA.",
        shown(known.environment),
        device_initialization().empty() ? "" : " (" + device_initialization() + ")",
        shown(shown_by_driver), shown(*expected));
  }
  return std::make_shared<const DeviceList>(std::move(shown_by_driver));
}

void adopt_drivers_answer(const Environment& now) {
  const bool is_asked = known.devices && now == known.environment;
  const Devices expected = is_asked ? known.devices : ask_nvml(now);
  known.environment = known.warned = now;
  known.devices = merged(expected, devices_of_driver());
  known.from_driver = true;
}

void warn_of_late_change(const Environment& now) {
  if (now == known.environment || now == known.warned) return;
  known.warned = now;
  if (CUPOLA_MUTANT(change_silently)) return;
  known.warning = fmt::format(
      "the environment changed after CUDA had been initialised{}, and has no effect in this "
      "process any more: it was {}; it is {}. The devices stay {}.",
      device_initialization().empty() ? "" : " (" + device_initialization() + ")",
      shown(known.environment), shown(now), shown(*known.devices));
}

// Where CUDA is inherited, what the parent saw stays.
void refresh(const Environment& now) {
  if (CUPOLA_MUTANT(initialize_to_discover)) initialize_cuda();
  if (known.from_driver) return warn_of_late_change(now);
  if (!cuda_is_out_of_reach() && cuda_is_initialized_by_anybody()) return adopt_drivers_answer(now);
  if (known.devices && now == known.environment) return;
  known.environment = now;
  known.devices = ask_nvml(now);
  // Without NVML there is no way but to initialise CUDA.
  if (!known.devices) adopt_drivers_answer(now);
}

}  // namespace

std::shared_ptr<const DeviceList> visible_devices() {
  Devices devices;
  std::string warning;
  {
    const std::lock_guard lock(known.mutex);
    refresh(environment());
    devices = known.devices;
    warning = std::exchange(known.warning, {});
  }
  if (!warning.empty()) warn(warning);
  if (devices->size() > kMaxDevices) {
    throw DeviceError(
        fmt::format("{} CUDA devices are more than {}; select some with "
                    "CUDA_VISIBLE_DEVICES",
                    devices->size(), kMaxDevices));
  }
  return devices;
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

CUdevice native_device(int device) {
  const FoundDevice found = found_device(device);
  if (found.native) return *found.native;
  throw DeviceError(fmt::format("cuda:{} has no number before CUDA is initialised", device));
}

MemoryInfo nvml_memory(const FoundDevice& device) {
  NvmlMemory memory{};
  NvmlDevice handle = nullptr;
  const NvmlApi* nvml = nvml_api();
  if (nvml && nvml->handle_by_uuid(device.properties.uuid.c_str(), &handle) == 0 &&
      nvml->memory(handle, &memory) == 0) {
    return {memory.free, memory.total};
  }
  return {0, device.properties.total_memory};
}

}  // namespace cupola::cuda
