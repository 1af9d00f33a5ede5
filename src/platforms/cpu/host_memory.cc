#include "platforms/cpu/host_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "platforms/cpu/thread_pool.h"

namespace cupola::cpu {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kHugeBlock = 2 * kHugePage;
constexpr std::size_t kCopyGrain = std::size_t{1} << 20;

std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

template <typename Function>
void for_blocks(std::size_t bytes, const Function& function) {
  const auto blocks = static_cast<std::int64_t>((bytes + kCopyGrain - 1) / kCopyGrain);
  parallel_for(blocks, 1, [&](std::int64_t first, std::int64_t last) {
    const std::size_t begin = static_cast<std::size_t>(first) * kCopyGrain;
    function(begin, std::min(static_cast<std::size_t>(last) * kCopyGrain, bytes) - begin);
  });
}

}  // namespace

void* allocate_host(std::size_t bytes) noexcept {
  const bool huge = bytes >= kHugeBlock;
  const std::size_t alignment = huge ? kHugePage : kMemoryAlignment;
  if (bytes > SIZE_MAX - alignment) return nullptr;
  const std::size_t size = round_up(bytes, alignment);
  void* pointer = std::aligned_alloc(alignment, size);
  if (pointer != nullptr && huge) madvise(pointer, size, MADV_HUGEPAGE);
  return pointer;
}

void free_host(void* pointer) noexcept { std::free(pointer); }

void copy_bytes(void* target, const void* source, std::size_t bytes) {
  auto* to = static_cast<char*>(target);
  const auto* from = static_cast<const char*>(source);
  const bool overlap = to < from + bytes && from < to + bytes;
  if (bytes < 2 * kCopyGrain || overlap) {
    std::memmove(to, from, bytes);
    return;
  }
  for_blocks(bytes, [&](std::size_t begin, std::size_t size) {
    std::memcpy(to + begin, from + begin, size);
  });
}

void set_bytes(void* target, std::uint8_t value, std::size_t bytes) {
  auto* to = static_cast<char*>(target);
  if (bytes < 2 * kCopyGrain) {
    std::memset(to, value, bytes);
    return;
  }
  for_blocks(bytes,
             [&](std::size_t begin, std::size_t size) { std::memset(to + begin, value, size); });
}

}  // namespace cupola::cpu
