#include "memory/pool.h"

#include <utility>

#include "cupola/error.h"

namespace cupola {

namespace {

constexpr std::size_t kSmallStep = 512;
constexpr std::size_t kLargeStep = std::size_t{2} << 20;

std::size_t round_up(std::size_t bytes) {
  const std::size_t step = bytes <= kLargeStep / 2 ? kSmallStep : kLargeStep;
  return (bytes + step - 1) / step * step;
}

// A larger block may serve a smaller request, as long as little of it is wasted.
std::size_t largest_fit(std::size_t size) { return size + size / 4; }

}  // namespace

void* Pool::allocate(std::size_t bytes, const StreamPointer& stream) {
  const std::size_t size = round_up(bytes);
  Block block = take_cached(size, stream);
  if (!block.pointer) {
    block.size = size;
    try {
      block.pointer = upstream_.allocate(size, stream);
    } catch (const OutOfMemoryError&) {
      if (trim() == 0) throw;
      block.pointer = upstream_.allocate(size, stream);
    }
  } else if (block.stream->id() != stream->id()) {
    stream->wait_for(*block.stream);
  }
  const std::lock_guard lock(mutex_);
  sizes_[block.pointer] = block.size;
  statistics_.used += block.size;
  return block.pointer;
}

void Pool::deallocate(void* pointer, std::size_t, const StreamPointer& stream) noexcept {
  const std::lock_guard lock(mutex_);
  const auto entry = sizes_.find(pointer);
  const std::size_t size = entry->second;
  sizes_.erase(entry);
  FreeBlocks& blocks = free_[stream->id()];
  if (!blocks.stream) blocks.stream = stream;
  blocks.by_size.emplace(size, pointer);
  statistics_.used -= size;
  statistics_.cached += size;
}

Pool::Block Pool::take_from(FreeBlocks& blocks, std::size_t size) {
  const auto found = blocks.by_size.lower_bound(size);
  if (found == blocks.by_size.end() || found->first > largest_fit(size)) return {};
  Block block{found->second, found->first, blocks.stream};
  blocks.by_size.erase(found);
  return block;
}

Pool::Block Pool::take_cached(std::size_t size, const StreamPointer& stream) {
  const std::lock_guard lock(mutex_);
  Block block;
  if (const auto own = free_.find(stream->id()); own != free_.end()) {
    block = take_from(own->second, size);
  }
  for (auto other = free_.begin(); !block.pointer && other != free_.end(); ++other) {
    block = take_from(other->second, size);
  }
  if (block.pointer) statistics_.cached -= block.size;
  return block;
}

std::size_t Pool::trim() {
  std::unordered_map<std::uint64_t, FreeBlocks> doomed;
  std::size_t bytes = 0;
  {
    const std::lock_guard lock(mutex_);
    doomed.swap(free_);
    bytes = std::exchange(statistics_.cached, 0);
  }
  for (auto& [id, blocks] : doomed) {
    for (const auto& [size, pointer] : blocks.by_size) {
      upstream_.deallocate(pointer, size, blocks.stream);
    }
  }
  return bytes;
}

PoolStatistics Pool::statistics() const {
  const std::lock_guard lock(mutex_);
  return statistics_;
}

}  // namespace cupola
