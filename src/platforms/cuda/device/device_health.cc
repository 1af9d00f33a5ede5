#include "platforms/cuda/device/device_health.h"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <mutex>

#include "base/threads/lazy.h"
#include "base/threads/mutex.h"

namespace cupola::cuda {

namespace {

struct Table {
  Mutex mutex;
  std::map<int, std::unique_ptr<DeviceHealth>> devices;  // guarded
};
Table& table() {
  static constinit Lazy<Table> all;
  return *all;
}

}  // namespace

DeviceHealth& device_health(int device) {
  const std::lock_guard lock(table().mutex);
  std::unique_ptr<DeviceHealth>& health = table().devices[device];
  if (!health) health = std::make_unique<DeviceHealth>(Device(PlatformKind::cuda, device));
  return *health;
}

std::string faults_elsewhere(int device) {
  std::string text;
  const std::lock_guard lock(table().mutex);
  for (const auto& [index, health] : table().devices) {
    const std::exception_ptr fault = index == device ? nullptr : health->fault();
    if (!fault) continue;
    try {
      std::rethrow_exception(fault);
    } catch (const std::exception& error) {
      text += fmt::format("; cuda:{} had failed before: {}", index, error.what());
    }
  }
  return text;
}

}  // namespace cupola::cuda
