#include "base/threads/recycling.h"

#include <array>
#include <new>

namespace cupola {

namespace {

// AddressSanitizer is to see every block that goes.
#if defined(__SANITIZE_ADDRESS__)
constexpr std::size_t kMaxKept = 0;
#else
// More than the results of one stream that may wait: they are dropped together.
constexpr std::size_t kMaxKept = 96;
#endif
constexpr std::size_t kStep = 64;
constexpr std::size_t kSizes = 16;  // kStep, 2 * kStep, ...; larger blocks are not kept

struct Kept {
  Kept* next;
};
struct Shelf {
  Kept* first;
  std::size_t count;
};
struct Shelves {
  std::array<Shelf, kSizes> of_size;
  bool are_watched;
};
// A thread that never gave anything back has zeros here.
constinit thread_local Shelves shelves{};

std::size_t size_of(std::size_t shelf) { return (shelf + 1) * kStep; }

// Empties the shelves when the thread ends, and keeps them empty.
struct AtEnd {
  AtEnd() { shelves.are_watched = true; }
  ~AtEnd() {
    for (std::size_t i = 0; i < kSizes; ++i) {
      Shelf& shelf = shelves.of_size[i];
      while (Kept* const block = shelf.first) {
        shelf.first = block->next;
        ::operator delete(block, size_of(i));
      }
      shelf.count = kMaxKept;
    }
  }
};

[[gnu::noinline]] void watch() { thread_local const AtEnd at_end; }

}  // namespace

void* take_block(std::size_t bytes) {
  const std::size_t index = (bytes - 1) / kStep;
  if (index >= kSizes) return ::operator new(bytes);
  Shelf& shelf = shelves.of_size[index];
  Kept* const block = shelf.first;
  if (!block) return ::operator new(size_of(index));
  shelf.first = block->next;
  --shelf.count;
  return block;
}

void give_block(void* block, std::size_t bytes) noexcept {
  const std::size_t index = (bytes - 1) / kStep;
  if (index >= kSizes) return ::operator delete(block, bytes);
  Shelves& all = shelves;
  Shelf& shelf = all.of_size[index];
  if (shelf.count >= kMaxKept) return ::operator delete(block, size_of(index));
  if (!all.are_watched) watch();
  ++shelf.count;
  shelf.first = ::new (block) Kept{shelf.first};
}

}  // namespace cupola
