#include "memory/history.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <mutex>
#include <tuple>
#include <unordered_map>

#include "base/process/fork.h"
#include "base/threads/lazy.h"
#include "memory/pressure/reclaim.h"

namespace cupola {

namespace {

struct History {
  History() { lock_at_fork(ForkLayer::memory, mutex); }
  std::mutex mutex;
  std::size_t max_events = 0;
  bool sites = false;
  std::deque<MemoryEvent> events;
  std::unordered_map<std::uintptr_t, Site> live;  // where live blocks were asked for
  std::unordered_map<Device, std::size_t> reserved;
};
History& history() {
  static constinit Lazy<History> instance;
  return *instance;
}

std::int64_t microseconds_now() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// The lock is held.
void append(History& known, MemoryEvent event) {
  event.reserved = known.reserved[event.device];
  known.events.push_back(std::move(event));
  while (known.events.size() > known.max_events) known.events.pop_front();
}

MemoryEvent make_event(MemoryEvent::Action action, const Device& device, const void* pointer,
                       std::size_t bytes, std::uint64_t stream, Site site) {
  return {action, device,         reinterpret_cast<std::uintptr_t>(pointer),
          bytes,  stream,         microseconds_now(),
          0,      std::move(site)};
}

bool wants_sites() {
  const std::lock_guard lock(history().mutex);
  return history().sites;
}

}  // namespace

void start_recording(std::size_t max_events, bool sites) {
  std::unordered_map<Device, std::size_t> reserved;
  for (const auto& core : all_pools()) {
    if (!core->properties().counts_on_device) continue;
    const PoolStatistics statistics = core->statistics();
    reserved[core->device()] += statistics.used + statistics.cached;
  }
  const std::lock_guard lock(history().mutex);
  history().max_events = max_events;
  history().sites = sites;
  history().events.clear();
  history().live.clear();
  history().reserved = std::move(reserved);
  internal::recording.store(true);
}

void stop_recording() { internal::recording.store(false); }

void record_block(const Device& device, bool allocated, const void* pointer, std::size_t bytes,
                  std::uint64_t stream) noexcept {
  if (is_observed()) {
    tell_memory_use({device, allocated, pointer, bytes, stream, noted_position});
  }
  if (!is_recording()) return;
  using Action = MemoryEvent::Action;
  const Site site = allocated && wants_sites() ? current_site() : nullptr;
  MemoryEvent event =
      make_event(allocated ? Action::alloc : Action::free, device, pointer, bytes, stream, site);
  History& known = history();
  const std::lock_guard lock(known.mutex);
  if (allocated) {
    known.live[event.address] = site;
  } else if (const auto entry = known.live.find(event.address); entry != known.live.end()) {
    event.site = entry->second;
    known.live.erase(entry);
  }
  append(known, std::move(event));
}

void record_segment(const Device& device, bool allocated, const void* pointer, std::size_t bytes,
                    std::uint64_t stream) noexcept {
  if (!is_recording()) return;
  using Action = MemoryEvent::Action;
  MemoryEvent event = make_event(allocated ? Action::segment_alloc : Action::segment_free, device,
                                 pointer, bytes, stream, nullptr);
  History& known = history();
  const std::lock_guard lock(known.mutex);
  std::size_t& reserved = known.reserved[device];
  reserved = allocated ? reserved + bytes : reserved - std::min(reserved, bytes);
  append(known, std::move(event));
}

void record_out_of_memory(const Device& device, std::size_t bytes) noexcept {
  if (!is_recording()) return;
  MemoryEvent event = make_event(MemoryEvent::Action::out_of_memory, device, nullptr, bytes, 0,
                                 wants_sites() ? current_site() : nullptr);
  const std::lock_guard lock(history().mutex);
  append(history(), std::move(event));
}

std::vector<MemoryEvent> recorded_events() {
  const std::lock_guard lock(history().mutex);
  return {history().events.begin(), history().events.end()};
}

std::vector<SegmentSnapshot> snapshot_segments() {
  std::vector<SegmentSnapshot> result;
  for (const auto& core : all_pools()) {
    if (!core->properties().counts_on_device) continue;
    core->inspect([&](const Arena& arena) {
      for (const auto& [data, segment] : arena.segments()) {
        if (segment->is_away) continue;
        SegmentSnapshot& shot =
            result.emplace_back(SegmentSnapshot{core->device(),
                                                reinterpret_cast<std::uintptr_t>(data),
                                                segment->size,
                                                segment->stream,
                                                segment->kind == SegmentKind::small,
                                                {}});
        for (const Block* block = segment->first; block; block = block->next) {
          shot.blocks.push_back({reinterpret_cast<std::uintptr_t>(block->data), block->size,
                                 block->list == nullptr, nullptr});
        }
      }
    });
  }
  std::sort(result.begin(), result.end(), [](const auto& a, const auto& b) {
    const auto key = [](const SegmentSnapshot& segment) {
      return std::tuple(segment.device.platform(), segment.device.index(), segment.address);
    };
    return key(a) < key(b);
  });
  const std::lock_guard lock(history().mutex);
  for (SegmentSnapshot& segment : result) {
    for (BlockSnapshot& block : segment.blocks) {
      const auto entry = history().live.find(block.address);
      if (block.is_live && entry != history().live.end()) block.site = entry->second;
    }
  }
  return result;
}

}  // namespace cupola
