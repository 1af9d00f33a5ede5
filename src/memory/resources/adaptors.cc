#include "memory/resources/adaptors.h"

#include <fmt/format.h>

#include <algorithm>

#include "cupola/error.h"

namespace cupola {

// ---- Limit

void* Limit::allocate(std::size_t bytes, const StreamPointer& stream) {
  const std::size_t limit = limit_.load();
  std::size_t used = used_.load();
  do {
    if (bytes > limit - std::min(limit, used)) {
      throw OutOfMemoryError(fmt::format(
          "{} bytes were asked for; {} of the {} bytes that the limit allows are in use", bytes,
          used, limit));
    }
  } while (!used_.compare_exchange_weak(used, used + bytes));
  try {
    return upstream().allocate(bytes, stream);
  } catch (...) {
    used_ -= bytes;
    throw;
  }
}

void Limit::deallocate(void* pointer, std::size_t bytes, const StreamPointer& stream) noexcept {
  upstream().deallocate(pointer, bytes, stream);
  used_ -= bytes;
}

// ---- Statistics

void* Statistics::allocate(std::size_t bytes, const StreamPointer& stream) {
  void* pointer = nullptr;
  try {
    pointer = upstream().allocate(bytes, stream);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    ++counts_.failures;
    throw;
  }
  const std::lock_guard lock(mutex_);
  counts_.bytes += bytes;
  counts_.peak_bytes = std::max(counts_.peak_bytes, counts_.bytes);
  ++counts_.blocks;
  ++counts_.allocations;
  return pointer;
}

void Statistics::deallocate(void* pointer, std::size_t bytes,
                            const StreamPointer& stream) noexcept {
  {
    const std::lock_guard lock(mutex_);
    counts_.bytes -= bytes;
    --counts_.blocks;
  }
  upstream().deallocate(pointer, bytes, stream);
}

Statistics::Counts Statistics::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

// ---- Log

void* Log::allocate(std::size_t bytes, const StreamPointer& stream) {
  const std::uint64_t id = stream ? stream->id() : 0;
  void* pointer = nullptr;
  try {
    pointer = upstream().allocate(bytes, stream);
  } catch (...) {
    writer_({Entry::Action::failure, nullptr, bytes, id});
    throw;
  }
  writer_({Entry::Action::allocate, pointer, bytes, id});
  return pointer;
}

void Log::deallocate(void* pointer, std::size_t bytes, const StreamPointer& stream) noexcept {
  writer_({Entry::Action::deallocate, pointer, bytes, stream ? stream->id() : 0});
  upstream().deallocate(pointer, bytes, stream);
}

// ---- Tracking

void* Tracking::allocate(std::size_t bytes, const StreamPointer& stream) {
  std::string site = site_();
  void* pointer = upstream().allocate(bytes, stream);
  const std::lock_guard lock(mutex_);
  blocks_[pointer] = {pointer, bytes, std::move(site)};
  return pointer;
}

void Tracking::deallocate(void* pointer, std::size_t bytes, const StreamPointer& stream) noexcept {
  {
    const std::lock_guard lock(mutex_);
    blocks_.erase(pointer);
  }
  upstream().deallocate(pointer, bytes, stream);
}

std::vector<Tracking::Block> Tracking::live() const {
  std::vector<Block> result;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [pointer, block] : blocks_) result.push_back(block);
  }
  std::sort(result.begin(), result.end(),
            [](const Block& a, const Block& b) { return a.pointer < b.pointer; });
  return result;
}

// ---- Fault

void* Fault::allocate(std::size_t bytes, const StreamPointer& stream) {
  std::int64_t remaining = remaining_.load();
  while (remaining > 0 && !remaining_.compare_exchange_weak(remaining, remaining - 1)) {
  }
  if (remaining == 1) {
    throw OutOfMemoryError(fmt::format("{} bytes were asked for; told to fail", bytes));
  }
  return upstream().allocate(bytes, stream);
}

}  // namespace cupola
