// Memory of a pool that goes, and comes back at the same addresses.
#include "cupola/warnings.h"
#include "driver/striped.h"
#include "memory/pool/pool_core.h"

namespace cupola {

bool PoolCore::is_movable(void* data) {
  const std::lock_guard lock(mutex_);
  return arena_.find_whole(data) != nullptr;
}

std::vector<StripedPart> PoolCore::unmap(void* data) noexcept {
  std::size_t bytes = 0;
  {
    const std::lock_guard lock(mutex_);
    Segment* const segment = arena_.find_whole(data);
    bytes = segment->size;
    segment->is_away = true;
    reserved_ -= bytes;
    ++spilled_.away;
    spilled_.bytes_away += bytes;
  }
  std::vector<StripedPart> parts = ranges_->parts_of(data, bytes);
  ranges_->unmap(data, parts);
  record(false, data, bytes, nullptr);
  return parts;
}

void PoolCore::map(void* data, std::span<const StripedPart> parts) {
  std::size_t bytes = 0;
  {
    const std::lock_guard lock(mutex_);
    bytes = arena_.find_whole(data)->size;
  }
  reserve(bytes);
  try {
    ranges_->map(data, parts);
  } catch (...) {
    unreserve(bytes);
    throw;
  }
  record(true, data, bytes, nullptr);
  const std::lock_guard lock(mutex_);
  arena_.find_whole(data)->is_away = false;
  --spilled_.away;
  spilled_.bytes_away -= bytes;
}

std::vector<StripedPart> PoolCore::plan_again(std::span<const StripedPart> parts) const {
  return ranges_->plan(bytes_of(parts));
}

void PoolCore::drop(void* data, std::span<const StripedPart> parts) noexcept {
  {
    // Before the addresses are released: the next segment may get the same ones.
    const std::lock_guard lock(mutex_);
    Segment* const segment = arena_.find_whole(data);
    --spilled_.away;
    spilled_.bytes_away -= segment->size;
    balance_ -= static_cast<std::int64_t>(segment->first->size);
    arena_.forget(segment);
  }
  ranges_->release(data, bytes_of(parts));
}

void PoolCore::count_spill(SpillDirection direction, std::size_t bytes) noexcept {
  bool is_first = false;
  {
    const std::lock_guard lock(mutex_);
    const bool is_out = direction == SpillDirection::out;
    is_first = is_out && spilled_.out == 0;
    ++(is_out ? spilled_.out : spilled_.in);
    (is_out ? spilled_.bytes_out : spilled_.bytes_in) += bytes;
  }
  if (!is_first) return;
  warn_of_performance("a pool of " + device().to_string() +
                      " has moved its first array to pinned host memory, since the devices have no "
                      "room; it comes back when it is used (pool.spill_counts() counts, "
                      "CUPOLA_DOCTOR=1 names the lines)");
}

SpillCounts PoolCore::spill_counts() {
  const std::lock_guard lock(mutex_);
  return spilled_;
}

}  // namespace cupola
