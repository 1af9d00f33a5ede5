#include "platforms/cpu/device/device_health.h"

#include <map>
#include <memory>
#include <mutex>

#include "base/process/fork.h"
#include "base/threads/lazy.h"

namespace cupola::cpu {

namespace {

struct Table {
  Table() { lock_at_fork(ForkLayer::base, mutex); }
  std::mutex mutex;
  std::map<int, std::unique_ptr<DeviceHealth>> healths;
};

}  // namespace

DeviceHealth& device_health(int device) {
  static constinit Lazy<Table> instance;
  Table& table = *instance;
  const std::lock_guard lock(table.mutex);
  std::unique_ptr<DeviceHealth>& health = table.healths[device];
  if (!health) health = std::make_unique<DeviceHealth>(Device(PlatformKind::cpu, device));
  return *health;
}

}  // namespace cupola::cpu
