#pragma once
// The part of a pool that threads share: its arena, under a lock, and the threads' magazines.

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "memory/history.h"
#include "memory/pool/arena.h"
#include "memory/pool/magazine.h"
#include "memory/resources/leaves.h"

namespace cupola {

struct PoolStatistics {
  std::size_t used = 0;           // bytes handed out
  std::size_t cached = 0;         // bytes held for reuse
  std::size_t peak_reserved = 0;  // the most that both have been together
  std::size_t free_blocks = 0;    // pieces that `cached` is in
  std::size_t segments = 0;       // pieces of the upstream
};

struct PoolOptions {
  bool spills = false;  // arrays go to the host where there is no room; the upstream has ranges
};

// What a pool has moved so far.
struct SpillCounts {
  std::size_t out = 0;  // arrays that went to the host
  std::size_t bytes_out = 0;
  std::size_t in = 0;  // arrays that came back
  std::size_t bytes_in = 0;
  std::size_t away = 0;        // arrays that are on the host now
  std::size_t bytes_away = 0;  // of the pool that they had
};

class PoolCore;

// Whether nothing of the stream is under way; false where that cannot be known.
bool is_complete(const StreamPointer& stream);

// A magazine with what it belongs to. A thread owns it; the core knows it until then.
struct AttachedMagazine {
  std::shared_ptr<PoolCore> core;
  StreamPointer stream;  // whose blocks it holds
  Magazine magazine;
};

class PoolCore {
 public:
  explicit PoolCore(ResourcePointer upstream, PoolOptions options = {});

  std::uint64_t id() const { return id_; }  // never 0, never used again
  const Device& device() const { return properties_.device; }
  const ResourceProperties& properties() const { return properties_; }
  // The history is that of the devices' memory.
  bool is_recorded() const { return is_watched() && properties_.counts_on_device; }

  // Blocks that are there. Null where none fits.
  void* take(std::size_t size, const StreamPointer& stream);
  // Also null where another thread has the lock.
  void* try_take(std::size_t size, const StreamPointer& stream);
  // Also one that another stream's work may still use: `stream` waits for that.
  void* take_from_any(std::size_t size, const StreamPointer& stream);
  void give(void* pointer, std::size_t size, const StreamPointer& stream) noexcept;
  // Empties all magazines into the arena, and finds out which streams' work is complete.
  void gather();
  // From the upstream; more than `size` where that is likely to be used. Throws OutOfMemoryError.
  void* grow(std::size_t size, const StreamPointer& stream);
  // Gives segments of which nothing is handed out back; with a stream, only those with nothing but
  // that stream's blocks. Returns bytes.
  std::size_t trim(const std::optional<std::uint64_t>& stream);

  // -- For memory/pressure/spill.h. Blocks that can be moved are segments of their own.
  bool spills() const { return ranges_ != nullptr; }
  bool is_movable(void* data);
  // Its memory goes, of which nothing is used any more; returns what it was made of.
  std::vector<StripedPart> unmap(void* data) noexcept;
  // Memory is there again, of such parts. Throws OutOfMemoryError, also for the limit.
  void map(void* data, std::span<const StripedPart> parts);
  // How as much memory would be divided now. Throws OutOfMemoryError.
  std::vector<StripedPart> plan_again(std::span<const StripedPart> parts) const;
  // Takes a block back that is away.
  void drop(void* data, std::span<const StripedPart> parts) noexcept;
  void count_spill(SpillDirection direction, std::size_t bytes) noexcept;
  SpillCounts spill_counts();

  // Of the bytes that are handed out and held for reuse together; 0: none.
  void set_limit(std::size_t bytes) { limit_.store(bytes); }
  std::size_t limit() const { return limit_.load(); }
  PoolStatistics statistics();

  // Held during a fork.
  std::mutex& mutex() { return mutex_; }

  void attach(AttachedMagazine& magazine);
  void detach(AttachedMagazine& magazine) noexcept;

  // Calls visit(arena) with the magazines emptied and the lock held: it may only read.
  template <typename Visit>
  void inspect(const Visit& visit) {
    const std::lock_guard lock(mutex_);
    empty_magazines();
    visit(static_cast<const Arena&>(arena_));
  }

 private:
  void* take_locked(std::size_t size, const StreamPointer& stream);
  void empty_magazines();
  void reserve(std::size_t bytes);
  void unreserve(std::size_t bytes);
  void record(bool allocated, const void* data, std::size_t bytes,
              const StreamPointer& stream) noexcept;
  void* allocate_segment(std::size_t bytes, std::size_t size, const StreamPointer& stream);

  const std::uint64_t id_;
  const ResourcePointer upstream_;
  RangeResource* const ranges_;  // the upstream; null: nothing is moved
  const ResourceProperties properties_;
  std::atomic<std::size_t> limit_{0};
  std::mutex mutex_;
  Arena arena_;
  SpillCounts spilled_;
  std::vector<AttachedMagazine*> magazines_;
  std::int64_t balance_ = 0;  // bytes handed out less bytes taken back, but for the magazines'
  std::size_t reserved_ = 0;  // bytes of the upstream
  std::size_t peak_reserved_ = 0;
};

}  // namespace cupola
