#include "platforms/cpu/device_health.h"

#include <map>
#include <memory>
#include <mutex>

#include "base/mutex.h"

namespace cupola::cpu {

DeviceHealth& device_health(int device) {
  static Mutex& mutex = *new Mutex;
  static auto& table = *new std::map<int, std::unique_ptr<DeviceHealth>>;
  const std::lock_guard lock(mutex);
  std::unique_ptr<DeviceHealth>& health = table[device];
  if (!health) health = std::make_unique<DeviceHealth>(Device(PlatformKind::cpu, device));
  return *health;
}

}  // namespace cupola::cpu
