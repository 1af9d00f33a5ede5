#pragma once
// Sums of differences of float32 from one value for each column, and of their squares, as variances
// are made of: all of it in one loop.

#include "platforms/cpu/reductions/row_source.h"

namespace cupola::cpu {

// Whether that is what the two combine.
bool are_deviations(const TileProgram& program, const Combination& squares,
                    const Combination& sums);

class Deviations {
 public:
  Deviations() = default;
  // Of rows of kept elements, if are_deviations() and they lie in memory; else any() is false.
  Deviations(const TileProgram& program, const LaunchArguments& arguments,
             const ReductionShape& shape, const Combination& squares, const Combination& sums,
             KeptTile kept);

  bool any() const { return rows_ != nullptr; }
  // Combines rows first, first + step, ... (`count` > 0 of them) in order, as each of the two does.
  // The evaluator has computed the steps for each column.
  void combine(std::int64_t first, std::int64_t step, std::int64_t count,
               const TileEvaluator& evaluator, std::int64_t columns, void* squares,
               void* sums) const;

 private:
  const float* rows_ = nullptr;
  std::int64_t row_stride_ = 0;
  int shift_ = -1;
};

}  // namespace cupola::cpu
