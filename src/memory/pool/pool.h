#pragma once
// Keeps the blocks of a resource for reuse.
//
// A request that finds a block of its size in the calling thread's magazine of that stream takes
// no lock and calls nobody. Else it is served from the stream's free blocks, from those of any
// stream whose work is complete, and from the upstream. Only when that has no memory left does a
// stream wait for another one's work, and then memory is reclaimed as memory/pressure/reclaim.h
// says, before OutOfMemoryError is thrown with the device's account. A pool with
// PoolOptions::spills moves arrays to the host before (memory/pressure/spill.h); those that are
// there are neither `used` nor `cached`.
//
// In a forked child a pool of a CUDA device, and what it handed out, belongs to the parent:
// requests throw ForkedProcessError, and nothing is given back.

#include <cstddef>
#include <memory>
#include <optional>

#include "base/process/fork.h"
#include "memory/pool/pool_core.h"
#include "memory/resources/resource.h"

namespace cupola {

class Pool final : public Resource {
 public:
  explicit Pool(ResourcePointer upstream, PoolOptions options = {});
  // Every block has come back.
  ~Pool() override;

  void* allocate(std::size_t bytes, const StreamPointer& stream) override;
  // Only from the calling thread's magazine, or a free block of the stream where nobody else has
  // the pool's lock; null where there is none.
  void* find(std::size_t bytes, const StreamPointer& stream);
  void deallocate(void* pointer, std::size_t bytes, const StreamPointer& stream) noexcept override;
  ResourceProperties properties() const override { return core_->properties(); }

  std::size_t trim() override;
  // What is held for reuse by one stream only.
  std::size_t trim(const StreamPointer& stream);
  // Of the bytes handed out and held for reuse together; 0: no limit. A limit below what is in use
  // frees nothing; requests that need the upstream fail until enough has been freed.
  void set_limit(std::size_t bytes) { core_->set_limit(bytes); }
  std::size_t limit() const { return core_->limit(); }
  PoolStatistics statistics() const { return core_->statistics(); }
  SpillCounts spill_counts() const { return core_->spill_counts(); }

 private:
  bool is_out_of_reach() const { return stays_with_parent_ && is_inherited(generation_); }
  void* allocate_slowly(std::size_t bytes, const StreamPointer& stream);
  void* obtain(std::size_t size, const StreamPointer& stream);

  std::shared_ptr<PoolCore> core_;
  std::uint64_t id_;
  bool stays_with_parent_;
  std::uint64_t generation_;
};

}  // namespace cupola
