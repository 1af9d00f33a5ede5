#pragma once
// What families share whose threads walk along rows.

#include <cstdint>

#include "codegen/cuda/families/family.h"
#include "codegen/cuda/families/stage_builder.h"
#include "graph/fusion.h"

namespace cupola {

inline constexpr std::uint64_t kShortRow = 1024;      // elements: up to a warp to each row
inline constexpr std::uint64_t kRowTile = kMaxOfRow;  // elements per block of a long row

class RowFamily : public CudaFamily {
 protected:
  explicit RowFamily(const KernelPlan& plan);

  // Threads that take a short row together.
  static std::uint64_t lanes_of_short_row(const StageBuilder& stages);
  // Whether a launch loads along rows by quads.
  bool loads_quads(const StageBuilder& stages) const;
  // Whether neighbours in memory differ in a kept rather than in a reduced dimension, for most
  // bytes that are read.
  bool is_outer(const StageBuilder& stages) const;

  bool reorderable_ = true;        // the combination
  bool may_load_quads_ = false;    // some input allows wide loads along rows
  bool may_have_columns_ = false;  // some input may run along kept dimensions
};

}  // namespace cupola
