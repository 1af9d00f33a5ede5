#include "platforms/cpu/interpreter/scratch.h"

#include <cstdlib>
#include <new>

#include "base/threads/thread_owned.h"

namespace cupola::cpu {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20;

char* allocate(std::size_t bytes) {
  auto* memory = static_cast<char*>(std::aligned_alloc(64, bytes));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

struct ThreadBlock {
  ~ThreadBlock() { std::free(memory); }
  char* const memory = allocate(kBlock);
};

}  // namespace

Scratch::Scratch() : next_(ThreadOwned<ThreadBlock>::get().memory), end_(next_ + kBlock) {}

Scratch::~Scratch() {
  for (char* memory : large_) std::free(memory);
}

Scratch::Scope::~Scope() {
  while (scratch_.large_.size() > large_) {
    std::free(scratch_.large_.back());
    scratch_.large_.pop_back();
  }
  scratch_.next_ = next_;
}

char* Scratch::take(std::size_t bytes) {
  const std::size_t size = (bytes + 63) / 64 * 64;
  if (size > static_cast<std::size_t>(end_ - next_)) {
    large_.reserve(large_.size() + 1);
    large_.push_back(allocate(size));
    return large_.back();
  }
  char* result = next_;
  next_ += size;
  return result;
}

}  // namespace cupola::cpu
