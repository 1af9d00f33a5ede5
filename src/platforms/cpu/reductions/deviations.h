#pragma once
// Sums of differences from one value for each column, and of their squares, as variances are made
// of: all of it in one loop.

#include "platforms/cpu/interpreter/direct_loops.h"
#include "platforms/cpu/reductions/row_source.h"

namespace cupola::cpu {

class Deviations {
 public:
  Deviations() = default;
  // Of rows of kept elements, if that is what the two combine, in either order; else any() is
  // false.
  Deviations(const TileProgram& program, const LaunchArguments& arguments,
             const ReductionShape& shape, const Combination& first, const Combination& second,
             KeptTile kept);

  bool any() const { return loop_ != nullptr; }
  // Combines rows first, first + step, ... (`count` > 0 of them) in order, as each of the two does.
  // The evaluator has computed the steps for each column.
  void combine(std::int64_t first, std::int64_t step, std::int64_t count,
               const TileEvaluator& evaluator, std::int64_t columns, void* results,
               void* other_results) const;

 private:
  DeviationsFunction loop_ = nullptr;
  const char* rows_ = nullptr;
  std::int64_t row_stride_ = 0;
  std::int64_t item_size_ = 0;
  int shift_ = -1;
  bool squares_first_ = false;
};

}  // namespace cupola::cpu
