#include "platforms/cpu/device/host_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <span>

#include "base/copy_apart.h"
#include "platforms/cpu/streams/thread_pool.h"

namespace cupola::cpu {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kHugeBlock = 2 * kHugePage;
constexpr std::size_t kCopyGrain = std::size_t{1} << 20;

std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

// Those that have nothing but bytes of the block.
std::span<char> whole_pages(void* pointer, std::size_t bytes) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const std::uintptr_t first = (address + page - 1) / page * page;
  const std::uintptr_t end = (address + bytes) / page * page;
  if (end <= first) return {};
  return {static_cast<char*>(pointer) + (first - address), end - first};
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

void hide_host(void* pointer, std::size_t bytes) noexcept {
  constexpr int kHidden = 0xFB;
  const std::span<char> pages = whole_pages(pointer, bytes);
  auto* const first = static_cast<char*>(pointer);
  if (pages.empty()) {
    std::memset(first, kHidden, bytes);
    return;
  }
  char* const end = pages.data() + pages.size();
  std::memset(first, kHidden, static_cast<std::size_t>(pages.data() - first));
  std::memset(end, kHidden, static_cast<std::size_t>(first + bytes - end));
  madvise(pages.data(), pages.size(), MADV_DONTNEED);
  mprotect(pages.data(), pages.size(), PROT_NONE);
}

void show_host(void* pointer, std::size_t bytes) noexcept {
  const std::span<char> pages = whole_pages(pointer, bytes);
  if (!pages.empty()) mprotect(pages.data(), pages.size(), PROT_READ | PROT_WRITE);
}

void copy_bytes(void* target, const void* source, std::size_t bytes) {
  auto* to = static_cast<char*>(target);
  const auto* from = static_cast<const char*>(source);
  const bool overlap = to < from + bytes && from < to + bytes;
  if (overlap) {
    std::memmove(to, from, bytes);
    return;
  }
  if (bytes < 2 * kCopyGrain) return copy_apart(to, from, bytes);
  for_blocks(bytes, [&](std::size_t begin, std::size_t size) {
    copy_apart(to + begin, from + begin, size);
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
