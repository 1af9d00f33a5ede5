#pragma once
// The loops of one instruction set that look for elements by their rank. They work on keys:
// unsigned integers as wide as the elements, which are ordered as sort() orders these.

#include <cstdint>

#include "cupola/dtype.h"

namespace cupola::cpu {

inline constexpr int kWordSizes = 4;  // 1, 2, 4 and 8 bytes: tables go by the logarithm

inline constexpr std::int64_t kMoreCollected = 16;

// What a tally adds up: keys below the lower bound, at it, between the two, and at the upper one.
struct BoundCounts {
  std::int64_t below = 0, at_low = 0, between = 0, at_high = 0;
};

// Where the next value of each part of a row goes.
struct PartTargets {
  void *below, *at, *above;
};

struct SelectFunctions {
  // keys[i] = key of values[i * stride]. Null: the dtype's keys are no such words.
  void (*keys[kDTypeCount])(void* keys, const void* values, std::int64_t stride,
                            std::int64_t count) = {};
  // bounds[0] <= bounds[1]. At equal ones nothing is at the upper one. `is_between` becomes true
  // for keys between, and false for others or, where it is `kept`, what it was.
  void (*tally[kWordSizes])(const void* keys, std::int64_t count, const void* bounds, bool kept,
                            bool* is_between, BoundCounts& counts) = {};
  // As tally() of the only bounds; keys between, of which the number is returned, go to
  // `collected`, which has room for kMoreCollected more; at equal bounds there are none. Null:
  // tally() is as quick.
  std::int64_t (*collect[kWordSizes])(const void* keys, std::int64_t count, const void* bounds,
                                      void* collected, BoundCounts& counts) = {};
  // Values go where those below the pivot, at it and above it go, each in their order; the targets
  // move on. Values are as wide as keys.
  void (*part[kWordSizes])(PartTargets& targets, const void* values, const void* keys,
                           std::int64_t count, const void* pivot) = {};
  // Sorts each of kSortedTogether columns, of as many rows; neighbours are those of one row. Longer
  // ones than the longest are sooner sorted, or selected from, one by one.
  void (*sort_columns[kWordSizes])(void* keys, std::int64_t rows) = {};
  std::int64_t longest_column[kWordSizes] = {};
};

inline constexpr std::int64_t kSortedTogether = 16;

// Of the best instruction set of this machine.
const SelectFunctions& select_functions();

void add_select_kernels_baseline(SelectFunctions& functions);
#ifdef __x86_64__  // not every build has these
void add_select_kernels_avx2(SelectFunctions& functions);
void add_select_kernels_avx512(SelectFunctions& functions);
#endif

}  // namespace cupola::cpu
