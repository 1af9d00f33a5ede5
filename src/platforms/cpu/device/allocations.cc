#include "platforms/cpu/device/allocations.h"

#include <iterator>

namespace cupola::cpu {

void Allocations::add(const void* pointer, const Range& range) {
  const std::lock_guard lock(mutex_);
  ranges_.insert_or_assign(address(pointer), range);
}

bool Allocations::add_if_apart(const void* pointer, const Range& range) {
  const Address first = address(pointer);
  const std::lock_guard lock(mutex_);
  const auto next = ranges_.lower_bound(first);
  if (next != ranges_.end() && next->first - first < range.bytes) return false;
  if (next != ranges_.begin()) {
    const auto& [start, before] = *std::prev(next);
    if (first - start < before.bytes) return false;
  }
  ranges_.emplace(first, range);
  return true;
}

std::optional<Allocations::Range> Allocations::remove(const void* pointer) {
  const std::lock_guard lock(mutex_);
  const auto found = ranges_.find(address(pointer));
  if (found == ranges_.end()) return std::nullopt;
  const Range range = found->second;
  ranges_.erase(found);
  return range;
}

std::optional<Allocations::Range> Allocations::find(const void* pointer) const {
  const Address wanted = address(pointer);
  const std::lock_guard lock(mutex_);
  auto after = ranges_.upper_bound(wanted);
  if (after == ranges_.begin()) return std::nullopt;
  const auto& [start, range] = *std::prev(after);
  if (wanted - start >= range.bytes) return std::nullopt;
  return range;
}

}  // namespace cupola::cpu
