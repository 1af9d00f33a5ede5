#include "platforms/cpu/reductions/row_source.h"

#include <algorithm>
#include <cstring>

#include "platforms/cpu/interpreter/strided.h"

namespace cupola::cpu {
namespace {

constexpr std::size_t kCastBytes = 16 * 1024;  // of rows that are cast at once: within L1

Combination combination(const ReduceLoops* loops, const CombineSpec& combine, int value) {
  return {loops, combine.function == 0 ? std::optional(combine.ufunc) : std::nullopt,
          combine.accumulator, value};
}

}  // namespace

Combination combination_of(const TileProgram& program) {
  return combination(&program.reduce, *program.plan.combine(), program.value);
}

Combination row_combination(const TileProgram& program, int step) {
  const TileStep& combined = program.steps[static_cast<std::size_t>(step)];
  return combination(combined.reduce,
                     combine_of(program.plan.steps[static_cast<std::size_t>(step)]),
                     combined.args[0]);
}

RowsThere::RowsThere(const TileProgram& program, const LaunchArguments& arguments,
                     const ReductionShape& shape, const TileStep& load, KeptTile kept) {
  if (load.kind != StepKind::load || load.uniform || load.level != StepLevel::element ||
      program.plan.reduced_rank() != 1 || program.plan.inputs[load.index].turned != 0) {
    return;
  }
  const OperandArgument& operand = arguments.inputs[load.index];
  const Dims& extents = arguments.extents;
  if (operand.strides[extents.size() - 2] != 1) return;
  stride = operand.strides.back();
  first = static_cast<const char*>(operand.pointer) +
          strided_offset(extents, operand.strides, kept.first * shape.reduced) *
              static_cast<std::int64_t>(load.item_size);
}

RowSource::RowSource(const TileProgram& program, const LaunchArguments& arguments,
                     const ReductionShape& shape, const Combination& combination,
                     TileEvaluator& evaluator, KeptTile kept, Scratch& scratch)
    : shape_(shape),
      combination_(combination),
      evaluator_(evaluator),
      kept_(kept),
      bytes_(static_cast<std::size_t>(kept.count) * item_size(combination.accumulator)) {
  const TileStep& value = program.steps[static_cast<std::size_t>(combination.value)];
  is_truth_ = value.dtype != combination.accumulator;
  const bool is_cast = value.kind == StepKind::cast && !value.uniform;
  const TileStep& read = is_cast ? program.steps[static_cast<std::size_t>(value.args[0])] : value;
  const RowsThere there(program, arguments, shape, read, kept);
  rows_ = there.first;
  row_stride_ = there.stride;
  row_bytes_ = there.stride * static_cast<std::int64_t>(read.item_size);
  if (rows_ == nullptr || !is_cast) return;
  cast_ = value.loop;
  cast_rows_ = static_cast<std::int64_t>(std::clamp<std::size_t>(kCastBytes / bytes_, 1, 8));
  cast_values_ = scratch.take(static_cast<std::size_t>(cast_rows_) * bytes_);
}

void RowSource::combine(std::int64_t first, std::int64_t step, std::int64_t count,
                        void* result) const {
  std::int64_t begun = 0;
  if (is_truth_) {
    std::memset(result, combination_.ufunc == UfuncId::logical_and ? 1 : 0, bytes_);
  } else {
    begun = begin(first, step, count, result);
  }
  if (begun < count) add(first + begun * step, step, count - begun, result);
}

const void* RowSource::computed_row(std::int64_t r) const {
  evaluator_.evaluate({kept_.first * shape_.reduced + r, kept_.count, shape_.kept_rank - 1});
  return evaluator_.value(combination_.value);
}

// With one or two rows; how many.
std::int64_t RowSource::begin(std::int64_t first, std::int64_t step, std::int64_t count,
                              void* result) const {
  if (cast_ != nullptr) {
    cast(row(first), result, 1);
  } else if (rows_ != nullptr && count > 1) {
    const void* two[2] = {row(first), row(first + step)};
    combination_.loops->combine(two, result, kept_.count);
    return 2;
  } else {
    std::memcpy(result, rows_ != nullptr ? row(first) : computed_row(first), bytes_);
  }
  return 1;
}

void RowSource::add(std::int64_t first, std::int64_t step, std::int64_t count, void* result) const {
  const RowsFunction join = combination_.loops->rows;
  if (cast_ != nullptr) return add_cast(first, step, count, result);
  if (rows_ != nullptr) return join(row(first), row_stride_ * step, count, kept_.count, result);
  for (std::int64_t i = 0; i < count; ++i) {
    join(computed_row(first + i * step), kept_.count, 1, kept_.count, result);
  }
}

void RowSource::add_cast(std::int64_t first, std::int64_t step, std::int64_t count,
                         void* result) const {
  const bool adjacent = row_stride_ * step == kept_.count;
  for (std::int64_t done = 0; done < count; done += cast_rows_) {
    const std::int64_t rows = std::min(cast_rows_, count - done);
    if (adjacent) cast(row(first + done), cast_values_, rows);
    for (std::int64_t i = 0; i < rows && !adjacent; ++i) {
      cast(row(first + (done + i) * step), cast_values_ + static_cast<std::size_t>(i) * bytes_, 1);
    }
    combination_.loops->rows(cast_values_, kept_.count, rows, kept_.count, result);
  }
}

}  // namespace cupola::cpu
