#include "platforms/cuda/device_health.h"

#include <map>
#include <memory>
#include <mutex>

#include "base/mutex.h"

namespace cupola::cuda {

DeviceHealth& device_health(int device) {
  static Mutex& mutex = *new Mutex;
  static auto& table = *new std::map<int, std::unique_ptr<DeviceHealth>>;
  const std::lock_guard lock(mutex);
  std::unique_ptr<DeviceHealth>& health = table[device];
  if (!health) health = std::make_unique<DeviceHealth>(Device(PlatformKind::cuda, device));
  return *health;
}

}  // namespace cupola::cuda
