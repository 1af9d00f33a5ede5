#pragma once
// Rows of kept elements, one for each reduced position, as reductions across them take them: where
// they lie, if all that is made of them is a cast, or else as they are computed.

#include <optional>

#include "platforms/cpu/interpreter/direct_loops.h"
#include "platforms/cpu/reductions/reduction.h"

namespace cupola::cpu {

// What is combined by a reduction, and how.
struct Combination {
  const ReduceLoops* loops;
  std::optional<UfuncId> ufunc;  // none: a function of a user combines
  DType accumulator;
  int value;  // step of the program

  // Numbers that are never rounded combine to the same in any order.
  bool in_any_order() const { return ufunc && !is_inexact(accumulator); }
  // Null: there is none.
  AnyOrderFunction any_order_loop() const {
    return ufunc ? find_any_order(*ufunc, accumulator) : nullptr;
  }
};
// Of a reduction, and of a combining step of rows.
Combination combination_of(const TileProgram& program);
Combination row_combination(const TileProgram& program, int step);

// Rows of what a step loads, where they lie; first == nullptr: they have gaps, or are no plain
// rows.
struct RowsThere {
  RowsThere(const TileProgram& program, const LaunchArguments& arguments,
            const ReductionShape& shape, const TileStep& load, KeptTile kept);
  const char* first = nullptr;
  std::int64_t stride = 0;  // elements from row to row
};

class RowSource {
 public:
  // Everything borrowed must outlive this; buffers come from `scratch`.
  RowSource(const TileProgram& program, const LaunchArguments& arguments,
            const ReductionShape& shape, const Combination& combination, TileEvaluator& evaluator,
            KeptTile kept, Scratch& scratch);

  // Whether the evaluator computes all steps for each row.
  bool is_computed() const { return rows_ == nullptr; }
  // result = rows first, first + step, ... (`count` > 0 of them) combined in order.
  void combine(std::int64_t first, std::int64_t step, std::int64_t count, void* result) const;
  // Combines the result with more of them.
  void add(std::int64_t first, std::int64_t step, std::int64_t count, void* result) const;

 private:
  const char* row(std::int64_t r) const { return rows_ + r * row_bytes_; }
  const void* computed_row(std::int64_t r) const;
  void cast(const void* values, void* result, std::int64_t rows) const {
    cast_(&values, result, rows * kept_.count);
  }
  std::int64_t begin(std::int64_t first, std::int64_t step, std::int64_t count, void* result) const;
  void add_cast(std::int64_t first, std::int64_t step, std::int64_t count, void* result) const;

  const ReductionShape& shape_;
  Combination combination_;
  TileEvaluator& evaluator_;
  KeptTile kept_;
  std::size_t bytes_;           // of a row of accumulators
  bool is_truth_;               // booleans are combined of values of another type
  const char* rows_ = nullptr;  // null: they are computed
  std::int64_t row_stride_ = 0;
  std::int64_t row_bytes_ = 0;
  LoopFunction cast_ = nullptr;
  std::int64_t cast_rows_ = 0;  // that are cast at once
  char* cast_values_ = nullptr;
};

}  // namespace cupola::cpu
