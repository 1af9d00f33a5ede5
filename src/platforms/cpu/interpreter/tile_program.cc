#include "platforms/cpu/interpreter/tile_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "codegen/user/user_function.h"
#include "cupola/error.h"
#include "platforms/cpu/interpreter/direct_loops.h"
#include "platforms/cpu/interpreter/map_shortcuts.h"
#include "platforms/cpu/interpreter/step_costs.h"
#include "platforms/cpu/interpreter/tile_buffers.h"

namespace cupola::cpu {
namespace {

constexpr std::size_t kRepeatedBytes = 4 * 1024;  // of uniform values: within L1

int argument_count(const Step& step) {
  return static_cast<int>(std::count_if(step.args.begin(), step.args.end(),
                                        [](std::int16_t argument) { return argument >= 0; }));
}

LoopFunction loop_of(const KernelPlan& plan, const Step& step) {
  std::array<DType, 3> inputs{};
  for (std::size_t i = 0; i < 3; ++i) {
    if (step.args[i] >= 0) inputs[i] = plan.steps[static_cast<std::size_t>(step.args[i])].dtype;
  }
  switch (step.kind) {
    case StepKind::cast:
      return find_cast(inputs[0], step.dtype);
    case StepKind::select:
      return find_select(item_size(step.dtype));
    case StepKind::ufunc: {
      const UfuncInfo& info = ufunc_info(step.ufunc);
      const int number = argument_count(step) == info.input_count
                             ? find_loop_number(step.ufunc, inputs.data())
                             : -1;
      const LoopFunction loop = number < 0 ? nullptr : find_loop(step.ufunc, number, step.index);
      if (loop == nullptr ||
          info.loops[static_cast<std::size_t>(number)].output(step.index) != step.dtype) {
        throw CompileError(fmt::format("the CPU has no loop of {} for ({}, {}) -> {}", info.name,
                                       name_of(inputs[0]), name_of(inputs[1]),
                                       name_of(step.dtype)));
      }
      return loop;
    }
    case StepKind::user: {
      const UserStep& call = plan.calls[step.index];
      return call.args.size() <= step.args.size() ? user_loops(*call.function).one : nullptr;
    }
    case StepKind::load:
    case StepKind::scalar:
    case StepKind::index:
    case StepKind::gather:
    case StepKind::combine:
    case StepKind::rank:
      return nullptr;
  }
  __builtin_unreachable();
}

bool is_uniform(const KernelPlan& plan, const std::vector<TileStep>& before, const Step& step) {
  switch (step.kind) {
    case StepKind::scalar:
      return true;
    case StepKind::load:
      return plan.inputs[step.index].layout == OperandLayout::broadcast;
    case StepKind::index:
    case StepKind::gather:
    case StepKind::combine:
    case StepKind::rank:
      return false;
    case StepKind::cast:
    case StepKind::ufunc:
    case StepKind::select:
    case StepKind::user: {
      const std::span<const std::int16_t> arguments = arguments_of(plan, step);
      return std::all_of(arguments.begin(), arguments.end(), [&](std::int16_t argument) {
        return before[static_cast<std::size_t>(argument)].uniform;
      });
    }
  }
  __builtin_unreachable();
}

// Results of one call are computed together, by the first of their steps.
void make_calls(TileProgram& program) {
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    TileStep& step = program.steps[i];
    if (!step.is_call()) continue;
    const UserStep& call = program.plan.calls[step.index];
    const UserLoops* const loops = &user_loops(*call.function);
    const auto known =
        std::find_if(program.calls.begin(), program.calls.end(), [&](const TileCall& made) {
          return made.loops == loops && made.args == call.args && made.results[call.result] < 0;
        });
    step.is_part = known != program.calls.end();
    step.index = static_cast<std::uint16_t>(known - program.calls.begin());
    if (!step.is_part) {
      program.calls.push_back(
          {loops, call.args, std::vector<int>(call.function->outputs.size(), -1), {}});
    }
    program.calls[step.index].results[call.result] = static_cast<int>(i);
  }
}

// Loops that read one element of a uniform argument take the place of those that read all.
void choose_scalar_loops(TileProgram& program) {
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    TileStep& step = program.steps[i];
    const auto is_uniform_argument = [&](std::size_t argument) {
      return step.args[argument] >= 0 &&
             program.steps[static_cast<std::size_t>(step.args[argument])].uniform;
    };
    const int operand = is_uniform_argument(0) ? 0 : 1;
    if (operand == 1 && !is_uniform_argument(1)) continue;
    const LoopFunction loop = scalar_loop_of(program, i, operand);
    if (loop == nullptr) continue;
    step.loop = loop;
    step.scalar_args = 1U << operand;
  }
}

bool is_index_type(DType dtype) { return is_integer(dtype) && item_size(dtype) >= 2; }

// An index that nothing reads but a cast to an integer is counted in its type.
void count_in_other_types(TileProgram& program) {
  const KernelPlan& plan = program.plan;
  if (plan.kind() != PlanKind::map) return;
  std::vector<int> readers(plan.steps.size(), 0);
  const auto read = [&readers](std::int16_t i) {
    if (i >= 0) ++readers[static_cast<std::size_t>(i)];
  };
  for (const Step& step : plan.steps) {
    for (const std::int16_t argument : arguments_of(plan, step)) read(argument);
  }
  for (const OutputSpec& output : plan.outputs) {
    for (const std::int16_t step : {output.value, output.offset, output.predicate}) read(step);
  }
  for (TileStep& step : program.steps) {
    if (step.kind != StepKind::cast || !is_index_type(step.dtype)) continue;
    const auto index = static_cast<std::size_t>(step.args[0]);
    if (program.steps[index].kind != StepKind::index || readers[index] != 1) continue;
    step.kind = StepKind::index;
    step.index = program.steps[index].index;
    step.loop = nullptr;
    program.steps[index].is_part = true;
  }
}

// Uniform values that nothing but loops over elements reads. A loop is called for as many elements
// as there are values then, so that these stay in the first cache whatever the size of tiles.
void find_repeated(TileProgram& program) {
  for (TileStep& step : program.steps) {
    step.repeats = step.uniform && !step.is_call();
  }
  const auto is_whole = [&program](std::int16_t step) {
    if (step >= 0) program.steps[static_cast<std::size_t>(step)].repeats = false;
  };
  for (const TileStep& step : program.steps) {
    if (step.loop != nullptr) continue;
    for (const std::int16_t argument : program.arguments(step)) is_whole(argument);
  }
  for (const OutputSpec& output : program.plan.outputs) {
    for (const std::int16_t step : {output.value, output.offset, output.predicate}) is_whole(step);
  }
  std::size_t largest = 0;
  for (const TileStep& step : program.steps) {
    if (step.repeats) largest = std::max(largest, step.item_size);
  }
  if (largest > 0) program.repeated_elements = static_cast<std::int64_t>(kRepeatedBytes / largest);
}

[[noreturn]] void refuse_combination(UfuncId ufunc, DType dtype) {
  throw CompileError(fmt::format("the CPU cannot combine values of type {} with {}", name_of(dtype),
                                 ufunc_info(ufunc).name));
}

const ReduceLoops& reduce_loops(const KernelPlan& plan, const CombineSpec& combine) {
  const UserFunction* const function = combining_function(plan, combine.function);
  return function != nullptr ? user_loops(*function).reduce
                             : find_reduce(combine.ufunc, combine.accumulator);
}

void prepare_rows(TileProgram& program) {
  const KernelPlan& plan = program.plan;
  if (plan.kind() != PlanKind::rows) return;
  const RowProgram rows = row_program(plan);
  const auto spread = [&program](std::int16_t i) {
    if (i < 0) return;
    TileStep& step = program.steps[static_cast<std::size_t>(i)];
    step.spread |= step.level == StepLevel::row;
  };
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    TileStep& step = program.steps[i];
    step.level = rows.levels[i];
    step.depth = rows.depths[i];
    step.spread = rows.is_reduction && step.level == StepLevel::row && step.depth == 0;
    if (step.level == StepLevel::element || step.kind == StepKind::combine) {
      for (const std::int16_t argument : program.arguments(step)) spread(argument);
    }
    if (step.kind != StepKind::combine) continue;
    const CombineSpec combine = combine_of(plan.steps[i]);
    step.reduce = &reduce_loops(plan, combine);
    step.starts_from_zero = starts_from_zero(combine);
    if (step.reduce->tree == nullptr) refuse_combination(combine.ufunc, combine.accumulator);
  }
  for (const OutputSpec& output : plan.outputs) {
    if (!output.operand.per_row) spread(output.value);
  }
}

// all() and any() combine values as they are: a cast to bool is no step of its own.
void combine_truth(TileProgram& program) {
  const int last = static_cast<int>(program.steps.size()) - 1;
  const TileStep& cast = program.steps.back();
  const CombineSpec& combine = *program.plan.combine();
  if (program.plan.kind() != PlanKind::reduce || combine.accumulator != DType::bool_ ||
      combine.function != 0 || program.value != last || cast.kind != StepKind::cast ||
      cast.uniform) {
    return;
  }
  const std::int16_t of = cast.args[0];
  const ReduceLoops& loops =
      find_truth(combine.ufunc, program.steps[static_cast<std::size_t>(of)].dtype);
  if (loops.tree == nullptr) return;
  program.value = of;
  program.reduce.tree = loops.tree;
  program.reduce.rows = loops.rows;
  program.steps.pop_back();
}

void prepare_reduction(TileProgram& program) {
  const KernelPlan& plan = program.plan;
  if (!plan.combine()) return;
  const auto& [ufunc, function, accumulator] = *plan.combine();
  program.value = plan.outputs.at(0).value;
  DType result = plan.outputs[0].operand.dtype;
  if (!finish_of(plan).empty()) {
    program.finish = std::make_shared<const TileProgram>(finish_plan(plan));
    if (!program.finish->plan.inputs.empty()) result = program.finish->plan.inputs[0].dtype;
  }
  program.cast_item_size = item_size(result);
  if (plan.kind() == PlanKind::arg_reduce) {
    program.extremum = find_extremum(ufunc == UfuncId::maximum, accumulator);
    if (result != DType::int64) program.output_cast = find_cast(DType::int64, result);
    return;
  }
  program.reduce = reduce_loops(plan, *plan.combine());
  const bool is_reorderable = function != 0 || ufunc_info(ufunc).reorderable;
  program.tree = is_reorderable && program.reduce.tree != nullptr;
  if (result != accumulator) program.output_cast = find_cast(accumulator, result);
  if (program.reduce.combine == nullptr) refuse_combination(ufunc, accumulator);
  combine_truth(program);
}

void prepare_combining_stores(TileProgram& program) {
  for (const OutputSpec& output : program.plan.outputs) {
    LoopFunction loop = nullptr;
    if (output.store == StoreKind::combine) {
      loop = find_reduce(output.combine, output.operand.dtype).combine;
      if (loop == nullptr) {
        refuse_combination(output.combine, output.operand.dtype);
      }
    }
    program.combine_loops.push_back(loop);
  }
}

}  // namespace

std::span<const std::int16_t> TileProgram::arguments(const TileStep& step) const {
  if (step.is_call()) return calls[step.index].args;
  const auto end = std::find(step.args.begin(), step.args.end(), std::int16_t{-1});
  return {step.args.begin(), end};
}

bool TileProgram::reads(const TileStep& step, std::int16_t number) const {
  const std::span<const std::int16_t> read = arguments(step);
  return std::find(read.begin(), read.end(), number) != read.end();
}

TileProgram::TileProgram(KernelPlan source) : plan(std::move(source)) {
  for (const Step& step : plan.steps) {
    TileStep made{step.kind, step.dtype, item_size(step.dtype), step.args, step.index};
    made.loop = loop_of(plan, step);
    if (step.kind == StepKind::user && made.loop != nullptr) {
      std::copy_n(arguments_of(plan, step).begin(), arguments_of(plan, step).size(),
                  made.args.begin());
    }
    made.uniform = is_uniform(plan, steps, step);
    steps.push_back(made);
  }
  make_calls(*this);
  prepare_rows(*this);
  std::vector<bool> stored(steps.size(), false);
  for (const OutputSpec& output : plan.outputs)
    stored[static_cast<std::size_t>(output.value)] = true;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    // With several outputs one of them may overwrite what another still has to copy.
    steps[i].in_place = steps[i].kind == StepKind::load && !steps[i].uniform &&
                        steps[i].level == StepLevel::element &&
                        !(stored[i] && plan.outputs.size() > 1);
  }
  count_in_other_types(*this);
  if (plan.kind() != PlanKind::rows) {
    choose_scalar_loops(*this);
    find_repeated(*this);
  }
  std::vector<int> last = last_uses(*this);
  join_counted_gathers(*this, last);
  join_limits(*this, last);
  join_products(*this, last);
  find_rows(*this);
  assign_outputs(*this, last);
  assign_slots(*this, last);
  choose_tile(*this);
  find_ones(*this);
  find_pairs(*this);
  find_untiled(*this);
  find_linear(*this);
  find_order(*this);
  cost = cost_of_element(*this);
  prepare_reduction(*this);
  prepare_combining_stores(*this);
  if (plan.kind() == PlanKind::rows && row_program(plan).is_reduction) {
    separate = std::make_shared<const SeparateReductions>(plan);
  }
}

}  // namespace cupola::cpu
