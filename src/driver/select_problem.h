#pragma once
// Elements of rows by their rank.

#include <cstdint>

#include "cupola/dims.h"
#include "cupola/dtype.h"

namespace cupola {

// The element of rank k of a row is the one at place k once the row is sorted as by sort(): NaN
// last, equal elements (zeros of both signs, and NaNs, among themselves) in the row's order.
struct SelectProblem {
  DType dtype;               // complex on CPUs only
  const void* in = nullptr;  // stays as it is
  Dims extents;              // of the rows, and last of a row, which is not empty
  Dims strides;              // elements
  // int64, as many for each row: rank by rank, and in each those of all rows, row-major. One
  // that is no place of the row counts as the nearest.
  const void* ranks = nullptr;
  std::int64_t rank_count = 0;
  bool ranks_of_all = true;  // each rank is there once, for all rows
  void* out = nullptr;       // the elements in the order of ranks; apart from the others
  // The rows, row-major, each parted around its element of the only rank, which is one of all:
  // smaller elements, those that equal it, the others, each in the row's order. Complex rows may be
  // parted around several, which differ, and of theirs only equal elements keep their order. Null:
  // they are not asked for, as of drivers that do not part (Driver::parts_rows).
  void* parted = nullptr;

  std::int64_t length() const { return extents.back(); }
  std::int64_t rows() const {
    std::int64_t rows = 1;
    for (std::size_t d = 0; d + 1 < extents.size(); ++d) rows *= extents[d];
    return rows;
  }
};

}  // namespace cupola
