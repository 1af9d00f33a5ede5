#pragma once
// Builds small plans with their arguments, for tests.

#include <initializer_list>
#include <stdexcept>
#include <vector>

#include "codegen/plan.h"

namespace cupola::testing {

// Row-major strides of a shape.
inline Dims row_major(const Dims& shape) {
  Dims strides(shape.size(), 1);
  for (std::size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  return strides;
}

// Every function returns the number of the new step. Pointers are of the platform's memory.
class LaunchBuilder {
 public:
  explicit LaunchBuilder(Dims extents) {
    plan.rank = extents.rank();
    arguments.extents = std::move(extents);
  }

  KernelPlan plan;
  LaunchArguments arguments;

  int load(DType dtype, const void* pointer, Dims strides) {
    plan.inputs.push_back({dtype, layout_of(strides)});
    arguments.inputs.push_back({const_cast<void*>(pointer), std::move(strides)});
    return step(StepKind::load, dtype, plan.inputs.size() - 1);
  }
  int load(DType dtype, const void* pointer) {
    return load(dtype, pointer, row_major(arguments.extents));
  }
  // Of an input in two pieces (LaunchArguments::turns).
  int load_turned(DType dtype, const void* pointer, Dims strides, Dims turns) {
    const int value = load(dtype, pointer, std::move(strides));
    OperandSpec& spec = plan.inputs.back();
    spec.layout = OperandLayout::strided;
    for (std::size_t d = 0; d < turns.size(); ++d) {
      if (turns[d] > 0) spec.turned |= std::uint32_t{1} << d;
    }
    arguments.turns.resize(plan.inputs.size());
    arguments.turns.back() = std::move(turns);
    return value;
  }
  int scalar(const Scalar& value) {
    plan.scalars.push_back(value.dtype());
    arguments.scalars.push_back(value);
    return step(StepKind::scalar, value.dtype(), plan.scalars.size() - 1);
  }
  int index() { return step(StepKind::index, DType::int64, 0); }
  int cast(int value, DType dtype) { return step(StepKind::cast, dtype, 0, {value}); }
  int ufunc(UfuncId id, std::initializer_list<int> values, int result = 0) {
    std::vector<DType> types;
    for (const int value : values) types.push_back(dtype_of_step(value));
    for (const UfuncLoop& loop : ufunc_info(id).loops) {
      if (!std::equal(types.begin(), types.end(), loop.types.begin())) continue;
      const int made =
          step(StepKind::ufunc, loop.output(result), static_cast<std::size_t>(result), values);
      plan.steps.back().ufunc = id;
      return made;
    }
    throw std::logic_error("no such loop");
  }
  int select(int condition, int yes, int no) {
    return step(StepKind::select, dtype_of_step(yes), 0, {condition, yes, no});
  }
  int gather(DType dtype, const void* pointer, int offset) {
    return step(StepKind::gather, dtype, indexed(dtype, pointer), {offset});
  }
  // An input without a step: the bounds of segments.
  std::size_t indexed(DType dtype, const void* pointer) {
    plan.inputs.push_back({dtype, OperandLayout::indexed});
    arguments.inputs.push_back({const_cast<void*>(pointer), {}});
    return plan.inputs.size() - 1;
  }

  LaunchBuilder& store(int value, void* pointer, Dims strides) {
    plan.outputs.push_back(
        {{dtype_of_step(value), layout_of(strides)}, static_cast<std::int16_t>(value)});
    arguments.outputs.push_back({pointer, std::move(strides)});
    return *this;
  }
  LaunchBuilder& store(int value, void* pointer) {
    return store(value, pointer, row_major(arguments.extents));
  }
  LaunchBuilder& scatter(int value, void* pointer, int offset, int predicate = -1) {
    OutputSpec output{{dtype_of_step(value), OperandLayout::indexed}};
    output.value = static_cast<std::int16_t>(value);
    output.store = StoreKind::scatter;
    output.offset = static_cast<std::int16_t>(offset);
    output.predicate = static_cast<std::int16_t>(predicate);
    plan.outputs.push_back(output);
    arguments.outputs.push_back({pointer, {}});
    return *this;
  }
  LaunchBuilder& combine_at(UfuncId id, int value, void* pointer, int offset) {
    scatter(value, pointer, offset);
    plan.outputs.back().store = StoreKind::combine;
    plan.outputs.back().combine = id;
    return *this;
  }
  LaunchBuilder& tally(int value, void* pointer, int offset, std::int64_t places) {
    scatter(value, pointer, offset);
    plan.outputs.back().store = StoreKind::tally;
    arguments.outputs.back().places = places;
    return *this;
  }
  // The number of true values of each tile.
  LaunchBuilder& count(int value, void* pointer) {
    return masked(StoreKind::count, DType::int64, value, -1, pointer);
  }
  // The values that have the predicate, whose tiles' running counts are `ends`.
  LaunchBuilder& compress(int value, int predicate, const void* ends, void* pointer) {
    indexed(DType::int64, ends);
    return masked(StoreKind::compress, dtype_of_step(value), value, predicate, pointer);
  }
  // The r-th of `values` (without gaps) into the r-th place that has the predicate.
  LaunchBuilder& expand(DType dtype, const void* values, int predicate, const void* ends,
                        void* pointer, Dims strides) {
    const int value = gather(dtype, values, step(StepKind::rank, DType::int64, 0));
    indexed(DType::int64, ends);
    masked(StoreKind::expand, dtype, value, predicate, pointer);
    plan.outputs.back().operand.layout = layout_of(strides);
    arguments.outputs.back().strides = std::move(strides);
    return *this;
  }
  // After the store of `value`; the output has type `result`.
  LaunchBuilder& reduce(PlanKind kind, UfuncId combine, int reduced_rank, DType result) {
    const DType accumulator = dtype_of_step(plan.outputs[0].value);
    plan.own = plan_of_kind(kind, {.ufunc = combine, .accumulator = accumulator}, reduced_rank);
    plan.outputs[0].operand.dtype = result;
    return *this;
  }

 private:
  LaunchBuilder& masked(StoreKind store, DType dtype, int value, int predicate, void* pointer) {
    OutputSpec output{{dtype, OperandLayout::indexed}};
    output.value = static_cast<std::int16_t>(value);
    output.store = store;
    output.predicate = static_cast<std::int16_t>(predicate);
    plan.outputs.push_back(output);
    arguments.outputs.push_back({pointer, {}});
    return *this;
  }
  DType dtype_of_step(int value) const { return plan.steps[static_cast<std::size_t>(value)].dtype; }
  int step(StepKind kind, DType dtype, std::size_t index, std::initializer_list<int> values = {}) {
    Step made{kind, dtype};
    made.index = static_cast<std::uint16_t>(index);
    std::copy(values.begin(), values.end(), made.args.begin());
    plan.steps.push_back(made);
    return static_cast<int>(plan.steps.size()) - 1;
  }
  OperandLayout layout_of(const Dims& strides) const {
    if (strides == row_major(arguments.extents)) return OperandLayout::contiguous;
    for (const std::int64_t stride : strides) {
      if (stride != 0) return OperandLayout::strided;
    }
    return OperandLayout::broadcast;
  }
};

}  // namespace cupola::testing
