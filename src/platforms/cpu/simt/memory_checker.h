#pragma once
// Uses of memory by a kernel's threads, checked one by one: addresses outside of all arrays, shared
// memory that two threads use between two barriers, or that is read before anything is written.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "codegen/device/simt/thread.cuh"
#include "driver/module.h"

namespace cupola::cpu {

// Of one block at a time.
class MemoryChecker {
 public:
  struct Use {
    const void* place;
    std::size_t bytes;
    cupola_simt::Access access;
    const void* caller;
    std::uint32_t thread;      // its number
    std::uint32_t epoch;       // barriers of the block so far
    std::uint32_t warp_epoch;  // barriers of the warp so far
  };
  using LineOf = std::function<std::string(const void*)>;

  // Where a block begins: its shared memory, what the launch may use, and the code's own memory.
  void begin(std::span<const std::byte> fixed, std::span<const std::byte> dynamic,
             std::span<const MemoryRange> arrays, std::span<const MemoryRange> own);
  struct Finding {
    std::string text;  // empty: nothing is wrong
    // Memory was read before anything is written: a race if another thread writes it before the
    // next barrier.
    bool may_be_a_race = false;
  };
  // What is wrong with it, before it happens. Lines come from `line_of`.
  Finding check(const Use& use, const LineOf& line_of);

 private:
  // Who used a byte of shared memory last.
  struct Mark {
    const void* caller = nullptr;  // null: nobody
    std::uint32_t thread = 0, epoch = 0, warp_epoch = 0;
    bool is_atomic = false;
    bool races(const Use& use) const;
  };
  struct Byte {
    Mark writer, reader, other_reader;
  };

  Finding check_shared(const Use& use, std::vector<Byte>& bytes, std::size_t first,
                       const LineOf& line_of);
  std::string outside(const Use& use, const LineOf& line_of) const;

  std::span<const std::byte> fixed_, dynamic_;
  std::vector<Byte> fixed_bytes_, dynamic_bytes_;
  std::span<const MemoryRange> arrays_, own_;
};

}  // namespace cupola::cpu
