#include "platforms/cpu/reductions/deviations.h"

#include <utility>

namespace cupola::cpu {
namespace {

bool adds(const Combination& combination) {
  return combination.ufunc == UfuncId::add && combination.accumulator == DType::float64;
}

bool is_ufunc(const Step& step, UfuncId id) {
  return step.kind == StepKind::ufunc && step.ufunc == id;
}

bool is_square(const Step& step, int of) {
  if (step.args[0] != of) return false;
  return is_ufunc(step, UfuncId::square) ||
         (is_ufunc(step, UfuncId::multiply) && step.args[1] == of);
}

}  // namespace

Deviations::Deviations(const TileProgram& program, const LaunchArguments& arguments,
                       const ReductionShape& shape, const Combination& first,
                       const Combination& second, KeptTile kept) {
  const auto planned = [&](int i) -> const Step& {
    return program.plan.steps[static_cast<std::size_t>(i)];
  };
  const auto made = [&](int i) -> const TileStep& {
    return program.steps[static_cast<std::size_t>(i)];
  };
  if (!adds(first) || !adds(second)) return;
  squares_first_ = is_square(planned(first.value), second.value);
  const int summed = squares_first_ ? second.value : first.value;
  if (!squares_first_ && !is_square(planned(second.value), summed)) return;
  const Step& difference = planned(summed);
  if (!is_ufunc(difference, UfuncId::subtract)) return;
  // One element may stand for all columns.
  const TileStep& shift = made(difference.args[1]);
  if (shift.level != StepLevel::row || shift.uniform || shift.may_be_one) return;
  if (made(summed).reads_one(1)) return;
  const TileStep& value = made(difference.args[0]);
  const TileStep& read = value.kind == StepKind::cast ? made(value.args[0]) : value;
  const RowsThere there(program, arguments, shape, read, kept);
  if (there.first == nullptr) return;
  loop_ = find_deviations(read.dtype);
  rows_ = there.first;
  row_stride_ = there.stride;
  item_size_ = static_cast<std::int64_t>(read.item_size);
  shift_ = difference.args[1];
}

void Deviations::combine(std::int64_t first, std::int64_t step, std::int64_t count,
                         const TileEvaluator& evaluator, std::int64_t columns, void* results,
                         void* other_results) const {
  if (squares_first_) std::swap(results, other_results);
  loop_(rows_ + first * row_stride_ * item_size_, row_stride_ * step, count,
        static_cast<const double*>(evaluator.value(shift_)), columns, static_cast<double*>(results),
        static_cast<double*>(other_results));
}

}  // namespace cupola::cpu
