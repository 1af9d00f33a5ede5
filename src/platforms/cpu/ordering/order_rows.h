#pragma once
// The rows of maps that order elements, and the parts that they are cut into.

#include <algorithm>
#include <array>
#include <cstdint>

#include "codegen/plan.h"
#include "core/layout.h"

namespace cupola::cpu {

inline constexpr std::size_t kBins = 256;
using Bins = std::array<std::int64_t, kBins>;  // counts, or where the next element goes

struct OrderedRows {
  explicit OrderedRows(const LaunchArguments& arguments)
      : length(arguments.extents.back()),
        count(element_count(arguments.extents) / length),
        axis(arguments.extents.rank() - 1) {}
  std::int64_t length;
  std::int64_t count;
  int axis;
};

// The parts of rows that are counted, and then stored, as one.
struct RowChunks {
  explicit RowChunks(const OrderedRows& of)
      : rows(of),
        elements(std::max<std::int64_t>(32 * 1024, rows.length / 1024 + 1)),
        of_row((rows.length + elements - 1) / elements) {}
  std::int64_t count() const { return rows.count * of_row; }
  std::int64_t row(std::int64_t chunk) const { return chunk / of_row; }
  // Of its row.
  std::int64_t first(std::int64_t chunk) const { return chunk % of_row * elements; }
  std::int64_t end(std::int64_t chunk) const {
    return std::min(first(chunk) + elements, rows.length);
  }

  OrderedRows rows;
  std::int64_t elements;
  std::int64_t of_row;
};

}  // namespace cupola::cpu
