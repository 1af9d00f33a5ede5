#pragma once
// The loops of one instruction set that move elements and compute nothing.

#include <cstddef>
#include <cstdint>

namespace cupola::cpu {

inline constexpr int kItemSizes = 5;  // 1, 2, 4, 8 and 16 bytes: tables go by the logarithm

struct MoveFunctions {
  // As std::memcpy. Four vectors are loaded before the first is stored: processors take a load for
  // one of what was stored just before where the addresses agree in their last 12 bits, and wait.
  void (*copy)(void* target, const void* source, std::size_t bytes) = nullptr;
  // target[i] = *value
  void (*fill[kItemSizes])(void* target, const void* value, std::int64_t count) = {};
  // target[i] = source[-i]
  void (*reverse[kItemSizes])(void* target, const void* source, std::int64_t count) = {};
  // target[i] = source[2 * i]
  void (*every_other[kItemSizes])(void* target, const void* source, std::int64_t count) = {};
  // target[i] = source[indices[i]]
  void (*gather[kItemSizes])(void* target, const void* source, const std::int64_t* indices,
                             std::int64_t count) = {};
  // The same with indices + extent where they are below zero.
  void (*gather_counted[kItemSizes])(void* target, const void* source, const std::int64_t* indices,
                                     std::int64_t zero, std::int64_t extent,
                                     std::int64_t count) = {};
  // target[0], target[1], ... = the first `wanted` elements for which the mask holds; as many as
  // there are.
  void (*pick[kItemSizes])(void* target, const void* source, const bool* mask, std::int64_t count,
                           std::int64_t wanted) = {};
  // The elements of the target for which the mask holds = source[0], source[1], ...; `length` ones
  // can be read, and no fewer are wanted. How many there were.
  std::int64_t (*expand[kItemSizes])(void* target, const void* source, const bool* mask,
                                     std::int64_t count, std::int64_t length) = {};
  // Elements for which the mask holds.
  std::int64_t (*count_true)(const bool* mask, std::int64_t count) = nullptr;
  // target[i] = first + i * step, for integers of 2, 4 and 8 bytes; as wide ones converted to them.
  void (*number[kItemSizes])(void* target, std::int64_t first, std::int64_t step,
                             std::int64_t count) = {};
  // Row r of the target, `pitch` bytes after the one before, gets element r of the source's column
  // c, `column` bytes after the one before, at c.
  void (*transpose[kItemSizes])(void* target, std::int64_t pitch, const void* source,
                                std::int64_t column, std::int64_t rows, std::int64_t columns) = {};
};

// Of the best instruction set of this machine.
const MoveFunctions& move_functions();

void add_move_kernels_baseline(MoveFunctions& functions);
#ifdef __x86_64__  // not every build has these
void add_move_kernels_avx2(MoveFunctions& functions);
void add_move_kernels_avx512(MoveFunctions& functions);
#endif

}  // namespace cupola::cpu
