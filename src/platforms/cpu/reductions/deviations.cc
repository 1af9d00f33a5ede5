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

bool are_deviations(const TileProgram& program, const Combination& squares,
                    const Combination& sums) {
  const auto planned = [&](int i) -> const Step& {
    return program.plan.steps[static_cast<std::size_t>(i)];
  };
  const auto made = [&](int i) -> const TileStep& {
    return program.steps[static_cast<std::size_t>(i)];
  };
  if (!adds(squares) || !adds(sums)) return false;
  const Step& square = planned(squares.value);
  const Step& difference = planned(sums.value);
  if (!is_ufunc(square, UfuncId::square) || square.args[0] != sums.value) return false;
  if (!is_ufunc(difference, UfuncId::subtract)) return false;
  const TileStep& value = made(difference.args[0]);
  const TileStep& shift = made(difference.args[1]);
  // Casts have a value for each column; a load may have one for all.
  return shift.kind == StepKind::cast && shift.level == StepLevel::row &&
         value.kind == StepKind::cast && made(value.args[0]).dtype == DType::float32;
}

Deviations::Deviations(const TileProgram& program, const LaunchArguments& arguments,
                       const ReductionShape& shape, const Combination& squares,
                       const Combination& sums, KeptTile kept) {
  if (!are_deviations(program, squares, sums)) return;
  const Step& difference = program.plan.steps[static_cast<std::size_t>(sums.value)];
  const TileStep& value = program.steps[static_cast<std::size_t>(difference.args[0])];
  const TileStep& read = program.steps[static_cast<std::size_t>(value.args[0])];
  const RowsThere there(program, arguments, shape, read, kept);
  if (there.first == nullptr) return;
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
