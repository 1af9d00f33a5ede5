// Plans of kind `rows` that only combine, as a reduction after the other.

#include <algorithm>

#include "codegen/row_program.h"
#include "core/layout.h"
#include "platforms/cpu/interpreter/strided.h"
#include "platforms/cpu/interpreter/tile_program.h"
#include "platforms/cpu/interpreter/tile_runner.h"
#include "platforms/cpu/reductions/deviations.h"

namespace cupola::cpu {
namespace {

// Some steps of a plan, in another one.
class StepCopy {
 public:
  StepCopy(const KernelPlan& from, KernelPlan& to)
      : from_(from), to_(to), places_(from.steps.size(), -1) {}

  void place(int step, const Step& as) {
    to_.steps.push_back(as);
    places_[static_cast<std::size_t>(step)] = static_cast<std::int16_t>(to_.steps.size() - 1);
  }
  // With what it is made of.
  std::int16_t copy(int step) {
    std::int16_t& place = places_[static_cast<std::size_t>(step)];
    if (place >= 0) return place;
    Step made = from_.steps[static_cast<std::size_t>(step)];
    for (std::int16_t& argument : made.args) {
      if (argument >= 0) argument = copy(argument);
    }
    if (made.kind == StepKind::user) made.index = copied_call(made.index);
    if (made.kind == StepKind::load)
      made.index = static_cast<std::uint16_t>(made.index + first_input_);
    to_.steps.push_back(made);
    return place = static_cast<std::int16_t>(to_.steps.size() - 1);
  }
  void set_first_input(std::size_t number) { first_input_ = number; }

 private:
  std::uint16_t copied_call(std::uint16_t index) {
    UserStep call = from_.calls[index];
    for (std::int16_t& argument : call.args) argument = copy(argument);
    to_.calls.push_back(std::move(call));
    return static_cast<std::uint16_t>(to_.calls.size() - 1);
  }

  const KernelPlan& from_;
  KernelPlan& to_;
  std::vector<std::int16_t> places_;
  std::size_t first_input_ = 0;
};

KernelPlan reduction_of(const KernelPlan& plan, const Step& step) {
  KernelPlan result;
  result.rank = plan.rank;
  result.inputs = plan.inputs;
  for (OperandSpec& input : result.inputs) input.per_row = false;
  result.scalars = plan.scalars;
  const std::int16_t value = StepCopy(plan, result).copy(step.args[0]);
  result.outputs = {{.operand = {step.dtype, OperandLayout::strided}, .value = value}};
  CombineSpec combine = combine_of(step);
  if (const UserFunction* const function = combining_function(plan, combine.function)) {
    combine.function = combining_index(static_cast<std::uint16_t>(result.calls.size()));
    result.calls.push_back({.function = function});
  }
  result.own = ReducePlan{combine, plan.reduced_rank()};
  return result;
}

KernelPlan values_of(const KernelPlan& plan, const std::vector<int>& combined) {
  KernelPlan result;
  result.rank = std::max(1, plan.rank - plan.reduced_rank());
  result.scalars = plan.scalars;
  StepCopy steps(plan, result);
  for (const int i : combined) {
    const DType dtype = plan.steps[static_cast<std::size_t>(i)].dtype;
    const auto number = static_cast<std::uint16_t>(result.inputs.size());
    steps.place(i, {.kind = StepKind::load, .dtype = dtype, .index = number});
    result.inputs.push_back({dtype, OperandLayout::contiguous});
  }
  steps.set_first_input(combined.size());
  for (OperandSpec input : plan.inputs) {
    // Those of elements are not loaded.
    if (input.layout != OperandLayout::broadcast) input.layout = OperandLayout::strided;
    input.per_row = false;
    result.inputs.push_back(input);
  }
  for (const OutputSpec& output : plan.outputs) {
    OutputSpec made = output;
    made.value = steps.copy(output.value);
    made.operand.per_row = false;
    result.outputs.push_back(made);
  }
  return result;
}

// Over the kept dimensions: at least one.
Dims kept(const Dims& dims, int kept_rank, std::int64_t of_none) {
  if (kept_rank == 0) return Dims{of_none};
  return Dims(std::span(dims.data(), static_cast<std::size_t>(kept_rank)));
}

Dims row_major_strides(const Dims& extents) {
  Dims strides(extents.size(), 1);
  for (std::size_t d = extents.size(); d-- > 1;) strides[d - 1] = strides[d] * extents[d];
  return strides;
}

// One after the other, as stages that are free of each other.
void reduce_beside(const std::vector<TileProgram>& programs,
                   const std::vector<LaunchArguments>& arguments, Stages& stages) {
  const int first = stages.next();
  int last = first;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    stages.begin_at(first);
    run_reduce(programs[i], arguments[i], stages);
    last = std::max(last, stages.next());
  }
  stages.begin_at(last);
}

// Each reduction by itself, unless one loop does both.
bool go_by_short_rows(const TileProgram& program, const LaunchArguments& arguments) {
  constexpr std::int64_t kLongEnough = 32;  // columns, for a loop that is called for each row
  const std::vector<int>& combined = program.separate->combined;
  const TileProgram& first = program.separate->reductions.front();
  const ReductionShape shape(first, arguments);
  if (!has_short_rows(first, arguments, shape)) return false;
  return combined.size() != 2 || shape.kept_row < kLongEnough ||
         !are_deviations(program, row_combination(program, combined[0]),
                         row_combination(program, combined[1]));
}

}  // namespace

SeparateReductions::SeparateReductions(const KernelPlan& plan) {
  combined = row_program(plan).stages.front().combined;
  for (const int i : combined) {
    reductions.emplace_back(reduction_of(plan, plan.steps[static_cast<std::size_t>(i)]));
  }
  values.emplace_back(values_of(plan, combined));
}

void run_separate_reductions(const TileProgram& program, const LaunchArguments& arguments,
                             Stages& stages) {
  const SeparateReductions& separate = *program.separate;
  const int kept_rank = program.plan.rank - program.plan.reduced_rank();
  const Dims extents = kept(arguments.extents, kept_rank, 1);
  const Dims strides = row_major_strides(extents);
  const auto count = static_cast<std::size_t>(element_count(extents));
  LaunchArguments of_values;
  of_values.extents = extents;
  of_values.scalars = arguments.scalars;
  std::vector<char*> places;
  for (std::size_t i = 0; i < separate.reductions.size(); ++i) {
    places.push_back(stages.take(count * 16));
    of_values.inputs.push_back({places.back(), strides});
  }
  std::vector<LaunchArguments> of_reductions;
  for (char* const place : places) {
    OperandArgument output{place, kept_rank == 0 ? Dims() : strides};
    output.strides.resize(arguments.extents.size());
    LaunchArguments& of_reduction = of_reductions.emplace_back();
    of_reduction.extents = arguments.extents;
    of_reduction.inputs = arguments.inputs;
    of_reduction.outputs = {output};
    of_reduction.scalars = arguments.scalars;
  }
  if (go_by_short_rows(program, of_reductions.front()) ||
      (!combine_together(program, arguments, separate.combined, places, stages) &&
       !reduce_together(separate.reductions, of_reductions, stages))) {
    reduce_beside(separate.reductions, of_reductions, stages);
  }
  const auto over_rows = [&](const OperandArgument& operand) {
    return OperandArgument{operand.pointer, kept(operand.strides, kept_rank, 0)};
  };
  for (const OperandArgument& input : arguments.inputs)
    of_values.inputs.push_back(over_rows(input));
  for (const OperandArgument& output : arguments.outputs) {
    of_values.outputs.push_back(over_rows(output));
  }
  run_map(separate.values.front(), of_values, stages);
}

}  // namespace cupola::cpu
