#include "memory/pool/pool_core.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/mutant.h"
#include "cupola/error.h"
#include "driver/registry.h"
#include "driver/set/set_driver.h"
#include "memory/history.h"
#include "memory/pool/size_classes.h"
#include "memory/pressure/spill_turn.h"

namespace cupola {

namespace {

constexpr std::size_t kSmallSegment = std::size_t{2} << 20;
constexpr std::size_t kMediumSegment = std::size_t{16} << 20;
constexpr std::size_t kLargestMedium = std::size_t{8} << 20;
constexpr std::size_t kSmallestMovable = std::size_t{64} << 10;

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> counter{0};
  return counter.fetch_add(1, std::memory_order_relaxed) + 1;
}

bool is_divided(std::size_t size, const ResourceProperties& properties) {
  const Device& device = properties.device;
  return properties.striped && size >= set_driver(device.platform()).threshold(device.index());
}

std::size_t segment_bytes(std::size_t size, const ResourceProperties& properties,
                          const Arena& arena) {
  if (arena.is_movable(size)) return size;
  // What is divided should be one array.
  if (is_divided(size, properties)) return size;
  if (size <= kLargestSmall) return kSmallSegment;
  if (size <= kLargestMedium) return kMediumSegment;
  // The platform's own granularity: the rest would be lost.
  return size > PTRDIFF_MAX ? size : (size + kSmallSegment - 1) / kSmallSegment * kSmallSegment;
}

RangeResource* ranges_of(Resource& upstream, PoolOptions options) {
  if (!options.spills) return nullptr;
  auto* const ranges = dynamic_cast<RangeResource*>(&upstream);
  if (!ranges) throw ValueError("only memory of ranges of addresses can be moved to the host");
  return ranges;
}

// The least request that gets a segment of its own, so that it can be moved: one that fills half a
// page of the device's memory, which a segment consists of.
std::size_t least_movable(const ResourceProperties& properties, PoolOptions options) {
  if (!options.spills) return SIZE_MAX;
  const Device& device = properties.device;
  if (!device.is_set()) {
    const std::size_t page = driver(device).stripe_granularity(device.index());
    return std::clamp(page / 2, kSmallestMovable, kLargestSmall) + 1;
  }
  return std::min(kLargestSmall + 1, set_driver(device.platform()).threshold(device.index()));
}

}  // namespace

bool is_complete(const StreamPointer& stream) {
  if (CUPOLA_MUTANT(reuse_before_completion)) return true;
  try {
    return stream->is_idle();
  } catch (...) {
    return false;  // A stream that has failed proves nothing.
  }
}

PoolCore::PoolCore(ResourcePointer upstream, PoolOptions options)
    : id_(next_id()),
      upstream_(std::move(upstream)),
      ranges_(ranges_of(*upstream_, options)),
      properties_(upstream_->properties()),
      arena_(least_movable(properties_, options)) {}

void* PoolCore::take(std::size_t size, const StreamPointer& stream) {
  const std::lock_guard lock(mutex_);
  return take_locked(size, stream);
}

void* PoolCore::try_take(std::size_t size, const StreamPointer& stream) {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  return lock ? take_locked(size, stream) : nullptr;
}

void* PoolCore::take_locked(std::size_t size, const StreamPointer& stream) {
  void* pointer = arena_.take(size, stream);
  if (pointer) balance_ += static_cast<std::int64_t>(size);
  return pointer;
}

void* PoolCore::take_from_any(std::size_t size, const StreamPointer& stream) {
  Arena::Taken taken;
  {
    const std::lock_guard lock(mutex_);
    taken = arena_.take_from_any(size);
    if (!taken.pointer) return nullptr;
    balance_ += static_cast<std::int64_t>(size);
  }
  if (!taken.stream || stream_id(taken.stream) == stream_id(stream)) return taken.pointer;
  try {
    if (CUPOLA_MUTANT(take_without_waiting)) return taken.pointer;
    if (stream) {
      stream->wait_for(*taken.stream);
      stream->advance();  // streams that come after this one wait for that as well
    } else {
      taken.stream->synchronize();
    }
  } catch (...) {
    give(taken.pointer, size, taken.stream);
    throw;
  }
  return taken.pointer;
}

void PoolCore::give(void* pointer, std::size_t size, const StreamPointer& stream) noexcept {
  const std::lock_guard lock(mutex_);
  if (arena_.give(pointer, stream)) balance_ -= static_cast<std::int64_t>(size);
}

void PoolCore::empty_magazines() {
  for (AttachedMagazine* attached : magazines_) {
    attached->magazine.steal([&](void* pointer) { arena_.give(pointer, attached->stream); });
  }
}

void PoolCore::gather() {
  std::vector<Arena::Listed> lists;
  {
    const std::lock_guard lock(mutex_);
    empty_magazines();
    lists = arena_.waiting();
  }
  std::erase_if(lists, [](const Arena::Listed& listed) { return !is_complete(listed.stream); });
  const std::lock_guard lock(mutex_);
  for (const Arena::Listed& listed : lists) arena_.mark_complete(listed);
}

void PoolCore::reserve(std::size_t bytes) {
  const std::size_t limit = limit_.load();
  const std::lock_guard lock(mutex_);
  if (limit != 0 && bytes > limit - std::min(limit, reserved_)) {
    throw OutOfMemoryError(
        fmt::format("the pool holds {} of the {} bytes that its limit allows", reserved_, limit));
  }
  reserved_ += bytes;
  peak_reserved_ = std::max(peak_reserved_, reserved_);
}

void PoolCore::unreserve(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  reserved_ -= bytes;
}

void PoolCore::record(bool allocated, const void* data, std::size_t bytes,
                      const StreamPointer& stream) noexcept {
  if (is_recorded()) record_segment(device(), allocated, data, bytes, stream_id(stream));
}

void* PoolCore::allocate_segment(std::size_t bytes, std::size_t size, const StreamPointer& stream) {
  reserve(bytes);
  char* data = nullptr;
  try {
    data = static_cast<char*>(upstream_->allocate(bytes, stream));
  } catch (...) {
    unreserve(bytes);
    throw;
  }
  record(true, data, bytes, stream);
  const std::lock_guard lock(mutex_);
  balance_ += static_cast<std::int64_t>(size);
  return arena_.add_segment(data, bytes, size, stream, is_divided(size, properties_));
}

void* PoolCore::grow(std::size_t size, const StreamPointer& stream) {
  const std::size_t bytes = segment_bytes(size, properties_, arena_);
  if (bytes > size) {
    try {
      return allocate_segment(bytes, size, stream);
    } catch (const OutOfMemoryError&) {
      // There may be room for what is needed, and no more.
    }
  }
  return allocate_segment(size, size, stream);
}

std::size_t PoolCore::trim(const std::optional<std::uint64_t>& stream) {
  // Between the two steps the memory is nobody's, and still counts.
  const Departure departure;
  std::vector<Arena::Released> released;
  {
    const std::lock_guard lock(mutex_);
    empty_magazines();
    released = arena_.release(stream);
  }
  std::size_t bytes = 0;
  for (const Arena::Released& segment : released) {
    for (std::size_t i = 1; i < segment.streams.size(); ++i) wait_quietly(segment.streams[i]);
    const StreamPointer last = segment.streams.empty() ? nullptr : segment.streams.front();
    record(false, segment.data, segment.size, last);
    upstream_->deallocate(segment.data, segment.size, last);
    unreserve(segment.size);
    bytes += segment.size;
  }
  return bytes;
}

PoolStatistics PoolCore::statistics() {
  const std::lock_guard lock(mutex_);
  std::int64_t used = balance_;
  PoolStatistics result;
  for (const AttachedMagazine* attached : magazines_) {
    used += attached->magazine.balance();
    result.free_blocks += attached->magazine.blocks();
  }
  used -= static_cast<std::int64_t>(spilled_.bytes_away);
  result.used = static_cast<std::size_t>(std::max<std::int64_t>(used, 0));
  result.cached = reserved_ - std::min(result.used, reserved_);
  result.peak_reserved = peak_reserved_;
  result.free_blocks += arena_.free_blocks();
  result.segments = arena_.segments().size();
  return result;
}

void PoolCore::attach(AttachedMagazine& magazine) {
  const std::lock_guard lock(mutex_);
  magazines_.push_back(&magazine);
}

void PoolCore::detach(AttachedMagazine& magazine) noexcept {
  const std::lock_guard lock(mutex_);
  magazine.magazine.steal([&](void* pointer) { arena_.give(pointer, magazine.stream); });
  balance_ += magazine.magazine.balance();
  std::erase(magazines_, &magazine);
}

}  // namespace cupola
