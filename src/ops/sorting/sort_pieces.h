#pragma once
// Sorting where there is no memory for a second array.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/array_state.h"

namespace cupola {

// Elements [begin, end) of an array of one dimension, which are sorted.
struct SortedRun {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

// Where each run is cut so that `rank` elements of all runs, the smallest ones, stand before the
// cuts. Equal elements are in the order of the runs.
std::vector<std::int64_t> cuts_at_rank(const Array& row, std::span<const SortedRun> runs,
                                       std::int64_t rank);

// Sorts the elements of a contiguous array of one dimension where they are, `sort_piece` being
// given views of `count` parts of it, a power of two. Beside what that takes, there must be memory
// for one such part. Elements may change places among those that are equal. Whatever it throws, the
// array has its elements, in some order.
void sort_pieces(const Array& row, std::int64_t count,
                 const std::function<void(const Array&)>& sort_piece);

}  // namespace cupola
