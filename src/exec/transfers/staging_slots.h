#pragma once
// Pinned memory, in slots of one size, through which pageable memory reaches a device.

#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "runtime/event_set.h"
#include "runtime/stream.h"

namespace cupola {

class StagingSlots;

// One slot, held by one thread; goes back by itself, to be used again when the work that it was
// marked with is done.
class StagingSlot {
 public:
  StagingSlot() = default;
  StagingSlot(StagingSlot&& other) noexcept { *this = std::move(other); }
  StagingSlot& operator=(StagingSlot&& other) noexcept;
  ~StagingSlot() { give_back(); }

  explicit operator bool() const { return data_ != nullptr; }
  char* data() const { return data_; }
  // The slot is in use until all work so far on the stream is done.
  void mark(StreamState& stream);
  // Waits until it is not.
  void wait();
  void give_back() noexcept;

 private:
  friend class StagingSlots;
  bool is_idle();

  StagingSlots* home_ = nullptr;
  char* data_ = nullptr;
  Driver* driver_ = nullptr;
  std::optional<Device> device_;  // of the event
  EventHandle event_ = nullptr;
};

class StagingSlots {
 public:
  StagingSlots(std::size_t bytes, std::size_t most);
  std::size_t slot_bytes() const { return bytes_; }
  // Pinned for all devices of the stream's platform. None, if all of them are in use. Does not
  // wait.
  StagingSlot take(StreamState& stream);
  // One more than there should be, where all are in use. Throws OutOfMemoryError.
  StagingSlot take_or_make(StreamState& stream);

 private:
  friend class StagingSlot;
  StagingSlot find_idle();
  StagingSlot make(StreamState& stream);
  void put(StagingSlot slot) noexcept;

  const std::size_t bytes_;
  const std::size_t most_;
  std::mutex mutex_;
  std::deque<StagingSlot> free_;  // some of them still in use by streams; the oldest first
  std::size_t made_ = 0;
};

// The slots of a platform: of 1 MiB for short copies, of 4 MiB for long ones. Never destroyed.
StagingSlots& short_slots(PlatformKind platform);
StagingSlots& long_slots(PlatformKind platform);

}  // namespace cupola
