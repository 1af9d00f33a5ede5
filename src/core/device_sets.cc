#include "core/device_sets.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>

#include <fmt/format.h>

#include "base/threads/mutex.h"
#include "cupola/error.h"

namespace cupola {

namespace {

constexpr std::size_t kMaxSets = Device::kEndOfIndices - Device::kFirstSet;

// Each entry is whole when it is published, and stays.
struct Sets {
  Mutex mutex;  // of those who add
  std::array<std::atomic<const std::vector<int>*>, kMaxSets> members{};
};
constinit std::array<Sets, 2> all_sets{};  // by platform

Sets& sets_of(PlatformKind platform) { return all_sets[static_cast<std::size_t>(platform)]; }

}  // namespace

int index_of_set(PlatformKind platform, std::vector<int> members) {
  Sets& sets = sets_of(platform);
  const std::lock_guard lock(sets.mutex);
  for (std::size_t i = 0; i < kMaxSets; ++i) {
    const std::vector<int>* known = sets.members[i].load(std::memory_order_acquire);
    if (known == nullptr) {
      sets.members[i].store(new std::vector<int>(std::move(members)), std::memory_order_release);
    } else if (*known != members) {
      continue;
    }
    return Device::kFirstSet + static_cast<int>(i);
  }
  throw DeviceError(fmt::format("a process can have {} device sets, and has them all", kMaxSets));
}

const std::vector<int>* find_members(PlatformKind platform, int index) {
  const auto number = static_cast<std::size_t>(index - Device::kFirstSet);
  if (index < Device::kFirstSet || number >= kMaxSets) return nullptr;
  return sets_of(platform).members[number].load(std::memory_order_acquire);
}

bool overlap(const Device& a, const Device& b) {
  if (a == b) return true;
  if (a.platform() != b.platform() || (!a.is_set() && !b.is_set())) return false;
  const std::span<const int> others = b.members();
  return std::ranges::any_of(a.members(), [&](int index) {
    return std::find(others.begin(), others.end(), index) != others.end();
  });
}

}  // namespace cupola
