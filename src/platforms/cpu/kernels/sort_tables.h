#pragma once
// Sorting of values by keys of 4, 8 or 16 bytes, with the vectors of one instruction set.

#include <cstddef>
#include <cstdint>

#include "cupola/dtype.h"

namespace cupola::cpu {

// A key is an unsigned integer that tells its value, with every bit. Keys are in the order of the
// values; only those of -0.0 and 0.0, which follow each other, and those of NaN, the largest ones,
// are in an order of their own, and of complex numbers those with such parts.
struct SortFunctions {
  std::size_t key_bytes = 0;  // 0: there are no such functions
  void (*encode)(void* keys, const void* values, std::int64_t count) = nullptr;
  void (*decode)(void* values, const void* keys, std::int64_t count) = nullptr;
  // By their order as integers, in place.
  void (*sort)(void* keys, std::int64_t count) = nullptr;
  // Whether that may change the order of elements that are equal as numbers: there are zeros of
  // both signs, or NaN.
  bool (*has_ties)(const void* keys, std::int64_t count) = nullptr;
  // In place; zeros and NaN stay in order. `spare`: as many keys.
  void (*sort_stably)(void* keys, void* spare, std::int64_t count) = nullptr;
  // These are null of complex numbers, which one thread sorts.
  // Makes bounds of `bins` bins, a multiple of 8, as many keys, of sorted samples. Neither zeros
  // nor NaN are on both sides of one; nothing is behind the last.
  void (*bound)(void* bounds, const void* samples, std::int64_t count, int bins) = nullptr;
  // out[i]: how many bounds are less than keys[i].
  void (*find_bins)(std::uint8_t* out, const void* keys, std::int64_t count, const void* bounds,
                    int bins) = nullptr;
  // target[next[bins[i]]++] = keys[i]
  void (*scatter)(void* target, const void* keys, const std::uint8_t* bins, std::int64_t count,
                  std::int64_t* next) = nullptr;
};

struct SortTable {
  SortFunctions of[kDTypeCount];
};

// Of the best instruction set of this machine.
const SortFunctions& sort_functions(DType dtype);

void add_sort_kernels_baseline(SortTable& table);
#ifdef __x86_64__  // not every build has these
void add_sort_kernels_avx2(SortTable& table);
void add_sort_kernels_avx512(SortTable& table);
#endif

}  // namespace cupola::cpu
