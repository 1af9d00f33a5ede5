#pragma once
// What happened to memory, recorded on demand, and what it looks like now: the content of
// cupola.memory_snapshot() and of the memory timeline.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cupola/device.h"
#include "memory/hooks.h"
#include "runtime/observer.h"

namespace cupola {

namespace internal {
inline std::atomic<bool> recording{false};
}
inline bool is_recording() { return internal::recording.load(std::memory_order_relaxed); }
// Whether somebody wants to know of memory: this history, or observers.
inline bool is_watched() { return is_recording() || is_observed(); }

struct MemoryEvent {
  enum class Action : std::uint8_t { alloc, free, segment_alloc, segment_free, out_of_memory };
  Action action;
  Device device;
  std::uintptr_t address;
  std::size_t bytes;
  std::uint64_t stream;  // identity; 0: the host's order
  std::int64_t time;     // microseconds since 1970
  std::size_t reserved;  // bytes that the pools of the device had from the platform
  Site site;
};

// Forgets what was recorded before. Of more than `max_events` the oldest are forgotten. With
// `sites`, each allocation remembers where it was asked for.
void start_recording(std::size_t max_events, bool sites);
void stop_recording();  // what was recorded can still be read

// Called by the pools where is_watched(): observers are told, and what is_recording() is recorded.
void record_block(const Device& device, bool allocated, const void* pointer, std::size_t bytes,
                  std::uint64_t stream) noexcept;
void record_segment(const Device& device, bool allocated, const void* pointer, std::size_t bytes,
                    std::uint64_t stream) noexcept;
void record_out_of_memory(const Device& device, std::size_t bytes) noexcept;

std::vector<MemoryEvent> recorded_events();

struct BlockSnapshot {
  std::uintptr_t address;
  std::size_t bytes;
  bool is_live;
  Site site;  // where it was asked for, if that was recorded
};
struct SegmentSnapshot {
  Device device;
  std::uintptr_t address;
  std::size_t bytes;
  std::uint64_t stream;
  bool is_small;
  std::vector<BlockSnapshot> blocks;  // in the order of their addresses, without gaps
};
// Of all pools of devices' memory, by device and address.
std::vector<SegmentSnapshot> snapshot_segments();

}  // namespace cupola
