#include "memory/resources/kept_pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <new>
#include <unordered_map>

#include "base/process/fork.h"
#include "base/threads/lazy.h"

namespace cupola {

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kMaxAddresses = std::size_t{1} << 56;  // no processor has more
constexpr std::size_t kPartOfMemory = 16;
// A kept block serves requests that leave at most one part of so many of it unused.
constexpr std::size_t kWaste = 8;

std::size_t most_kept() {
  static constinit Lazy<const std::size_t> most;
  return most.get([] {
    return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
           static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) / kPartOfMemory;
  });
}

// Never destroyed: arrays may outlive static objects.
class Pages {
 public:
  Pages() { lock_at_fork(ForkLayer::memory, mutex_); }
  static Pages& instance() {
    static constinit Lazy<Pages> pages;
    return *pages;
  }

  void* take(std::size_t bytes) {
    if (bytes > kMaxAddresses) return nullptr;
    const std::size_t size = (bytes + kHugePage - 1) / kHugePage * kHugePage;
    const std::lock_guard lock(mutex_);
    const auto found = kept_.lower_bound(size);
    if (found != kept_.end() && found->first - size <= found->first / kWaste) {
      void* const memory = found->second;
      sizes_.emplace(memory, found->first);
      kept_bytes_ -= found->first;
      kept_.erase(found);
      return memory;
    }
    void* const memory = map(size);
    if (memory) sizes_.emplace(memory, size);
    return memory;
  }

  void give(void* memory) {
    const std::lock_guard lock(mutex_);
    const auto found = sizes_.find(memory);
    const std::size_t size = found->second;
    sizes_.erase(found);
    if (kept_bytes_ + size > most_kept() || madvise(memory, size, MADV_FREE) != 0) {
      munmap(memory, size);
      return;
    }
    kept_.emplace(size, memory);
    kept_bytes_ += size;
  }

  std::size_t size_of(const void* memory) {
    const std::lock_guard lock(mutex_);
    return sizes_.at(const_cast<void*>(memory));
  }
  std::size_t kept_bytes() {
    const std::lock_guard lock(mutex_);
    return kept_bytes_;
  }

 private:
  // Aligned to huge pages, and of them where the machine has some.
  static void* map(std::size_t size) {
    void* const mapped =
        mmap(nullptr, size + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) return nullptr;
    const auto first = reinterpret_cast<std::uintptr_t>(mapped);
    const std::uintptr_t aligned = (first + kHugePage - 1) / kHugePage * kHugePage;
    if (aligned > first) munmap(mapped, aligned - first);
    munmap(reinterpret_cast<void*>(aligned + size), first + kHugePage - aligned);
    void* const memory = reinterpret_cast<void*>(aligned);
    madvise(memory, size, MADV_HUGEPAGE);
    return memory;
  }

  std::mutex mutex_;
  std::multimap<std::size_t, void*> kept_;  // by size
  std::unordered_map<void*, std::size_t> sizes_;
  std::size_t kept_bytes_ = 0;
};

}  // namespace

void* take_pages(std::size_t bytes) noexcept {
  try {
    return Pages::instance().take(std::max<std::size_t>(bytes, 1));
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void give_pages(void* memory) noexcept {
  if (!memory) return;
  try {
    Pages::instance().give(memory);
  } catch (const std::bad_alloc&) {
    // The block is lost.
  }
}

std::size_t size_of_pages(const void* memory) noexcept { return Pages::instance().size_of(memory); }

std::size_t kept_pages() noexcept { return Pages::instance().kept_bytes(); }

}  // namespace cupola
