#pragma once
// Stacks that take turns on one thread of the host, and the step from one to another.

#include <cstddef>
#include <memory>
#include <vector>

#include "codegen/device/simt/thread.cuh"

namespace cupola::cpu {

// Continues what `to` is the stack pointer of, and leaves in *from where this goes on.
void switch_stack(void** from, void* to);

struct Fibre {
  cupola_simt::Thread* thread = nullptr;  // its record, on its stack
  void* at = nullptr;                     // where it goes on
};

// Of one thread of the host. Stacks are made as they are needed and kept.
class FibreStacks {
 public:
  using Entry = void (*)(Fibre*);
  FibreStacks() = default;
  ~FibreStacks();
  FibreStacks(const FibreStacks&) = delete;
  FibreStacks& operator=(const FibreStacks&) = delete;
  // The i-th, which begins at entry(fibre) when it is next switched to; entry never returns.
  // Throws std::bad_alloc.
  Fibre& begin(std::size_t i, Entry entry);
  Fibre& operator[](std::size_t i) { return *fibres_[i]; }
  // Whether the i-th has been overflowed since it began.
  bool has_overflowed(std::size_t i) const;

 private:
  void add();

  std::vector<void*> pieces_;  // as mapped
  std::vector<std::unique_ptr<Fibre>> fibres_;
};

}  // namespace cupola::cpu
