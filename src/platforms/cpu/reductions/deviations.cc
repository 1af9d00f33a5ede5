#include "platforms/cpu/reductions/deviations.h"

#include "platforms/cpu/interpreter/direct_loops.h"

namespace cupola::cpu {
namespace {

bool adds(const Combination& combination) {
  return combination.ufunc == UfuncId::add && combination.accumulator == DType::float64;
}

bool is_ufunc(const Step& step, UfuncId id) {
  return step.kind == StepKind::ufunc && step.ufunc == id;
}

}  // namespace

Deviations::Deviations(const TileProgram& program, const LaunchArguments& arguments,
                       const ReductionShape& shape, const Combination& squares,
                       const Combination& sums, KeptTile kept) {
  const auto planned = [&](int i) -> const Step& {
    return program.plan.steps[static_cast<std::size_t>(i)];
  };
  const auto made = [&](int i) -> const TileStep& {
    return program.steps[static_cast<std::size_t>(i)];
  };
  if (!adds(squares) || !adds(sums)) return;
  const Step& square = planned(squares.value);
  const Step& difference = planned(sums.value);
  if (!is_ufunc(square, UfuncId::square) || square.args[0] != sums.value) return;
  if (!is_ufunc(difference, UfuncId::subtract)) return;
  const TileStep& value = made(difference.args[0]);
  const TileStep& shift = made(difference.args[1]);
  // Casts have a value for each column; a load may have one for all.
  if (shift.kind != StepKind::cast || shift.level != StepLevel::row) return;
  if (value.kind != StepKind::cast) return;
  const TileStep& read = made(value.args[0]);
  const RowsThere there(program, arguments, shape, read, kept);
  if (there.first == nullptr || read.dtype != DType::float32) return;
  rows_ = reinterpret_cast<const float*>(there.first);
  row_stride_ = there.stride;
  shift_ = difference.args[1];
}

void Deviations::combine(std::int64_t first, std::int64_t step, std::int64_t count,
                         const TileEvaluator& evaluator, std::int64_t columns, void* squares,
                         void* sums) const {
  find_deviations()(rows_ + first * row_stride_, row_stride_ * step, count,
                    static_cast<const double*>(evaluator.value(shift_)), columns,
                    static_cast<double*>(sums), static_cast<double*>(squares));
}

}  // namespace cupola::cpu
