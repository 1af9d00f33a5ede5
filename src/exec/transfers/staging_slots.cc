#include "exec/transfers/staging_slots.h"

#include <array>
#include "base/mutant.h"
#include "base/process/fork.h"
#include "base/threads/lazy.h"
#include "cupola/error.h"

namespace cupola {

namespace {

constexpr std::size_t kShortBytes = std::size_t{1} << 20;
constexpr std::size_t kLongBytes = std::size_t{4} << 20;
// A stuck stream keeps what was copied on it so far; others go on with the rest.
constexpr std::size_t kMaxShort = 128;
constexpr std::size_t kMaxLong = 64;

EventSet& events() {
  static constinit Lazy<EventSet> set;
  return *set;
}

// Of one size, a set for each platform.
struct SlotsOfPlatforms {
  std::array<Lazy<StagingSlots>, 2> of;
  StagingSlots& find(PlatformKind platform, std::size_t bytes, std::size_t most) {
    return of[static_cast<std::size_t>(platform)].get([&] { return StagingSlots(bytes, most); });
  }
};

}  // namespace

StagingSlot& StagingSlot::operator=(StagingSlot&& other) noexcept {
  if (this == &other) return *this;
  give_back();
  home_ = std::exchange(other.home_, nullptr);
  data_ = std::exchange(other.data_, nullptr);
  driver_ = std::exchange(other.driver_, nullptr);
  device_ = std::exchange(other.device_, std::nullopt);
  event_ = std::exchange(other.event_, nullptr);
  return *this;
}

void StagingSlot::mark(StreamState& stream) {
  if (event_ && *device_ != stream.device()) {
    events().put(*device_, event_);
    event_ = nullptr;
  }
  if (!event_) {
    event_ = events().take(stream.driver(), stream.device());
    device_ = stream.device();
  }
  stream.driver().record(event_, stream.handle());
}

void StagingSlot::wait() {
  if (event_) driver_->synchronize(event_);
}

bool StagingSlot::is_idle() {
  try {
    return !event_ || driver_->is_complete(event_);
  } catch (...) {
    return true;  // the device failed: nothing runs there any more
  }
}

void StagingSlot::give_back() noexcept {
  if (!data_) return;
  StagingSlots* home = home_;
  home->put(std::move(*this));
}

StagingSlots::StagingSlots(std::size_t bytes, std::size_t most) : bytes_(bytes), most_(most) {
  lock_at_fork(ForkLayer::exec, mutex_);
}

StagingSlot StagingSlots::find_idle() {
  std::size_t left = 0;
  {
    const std::lock_guard lock(mutex_);
    left = free_.size();
  }
  for (; left > 0; --left) {
    StagingSlot slot;
    {
      const std::lock_guard lock(mutex_);
      if (free_.empty()) break;
      slot = std::move(free_.front());
      free_.pop_front();
    }
    if (slot.is_idle() || CUPOLA_MUTANT(reuse_busy_slots)) return slot;
  }
  return {};
}

StagingSlot StagingSlots::take(StreamState& stream) {
  if (StagingSlot slot = find_idle()) return slot;
  {
    const std::lock_guard lock(mutex_);
    if (made_ >= most_) return {};
  }
  try {
    return make(stream);
  } catch (const OutOfMemoryError&) {
    return {};
  }
}

StagingSlot StagingSlots::take_or_make(StreamState& stream) {
  if (StagingSlot slot = find_idle()) return slot;
  return make(stream);
}

StagingSlot StagingSlots::make(StreamState& stream) {
  StagingSlot slot;
  slot.data_ = static_cast<char*>(
      stream.driver().allocate(stream.device().index(), bytes_, MemoryKind::pinned));
  slot.home_ = this;
  slot.driver_ = &stream.driver();
  const std::lock_guard lock(mutex_);
  ++made_;
  return slot;
}

void StagingSlots::put(StagingSlot slot) noexcept {
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(slot));
}

StagingSlots& short_slots(PlatformKind platform) {
  static constinit SlotsOfPlatforms slots;
  return slots.find(platform, kShortBytes, kMaxShort);
}

StagingSlots& long_slots(PlatformKind platform) {
  static constinit SlotsOfPlatforms slots;
  return slots.find(platform, kLongBytes, kMaxLong);
}

}  // namespace cupola
