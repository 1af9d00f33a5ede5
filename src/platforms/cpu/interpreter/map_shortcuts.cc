#include "platforms/cpu/interpreter/map_shortcuts.h"

#include <algorithm>

#include "platforms/cpu/interpreter/direct_loops.h"

namespace cupola::cpu {
namespace {

bool is_of_numbers(const TileStep& step) {
  switch (step.kind) {
    case StepKind::load:
      return step.uniform || step.in_place;
    case StepKind::scalar:
    case StepKind::cast:
    case StepKind::ufunc:
    case StepKind::select:
      return true;
    case StepKind::user:
      return !step.is_call();
    case StepKind::index:
    case StepKind::gather:
    case StepKind::combine:
    case StepKind::rank:
      return false;
  }
  __builtin_unreachable();
}

constexpr unsigned kSecond = 2;  // scalar_args where that one is a number

bool reads(const KernelPlan& plan, const Step& step, std::int16_t value) {
  const std::span<const std::int16_t> read = arguments_of(plan, step);
  return std::find(read.begin(), read.end(), value) != read.end();
}

// Whether step `i` reads `part`, and nothing else does.
bool is_only_reader(const KernelPlan& plan, std::int16_t part, std::size_t i,
                    const std::vector<int>& last) {
  const auto readers = std::count_if(plan.steps.begin(), plan.steps.end(),
                                     [&](const Step& other) { return reads(plan, other, part); });
  return readers == 1 && last[static_cast<std::size_t>(part)] == static_cast<int>(i);
}

// Whether an output is made of the step, or goes where it says.
bool is_stored(const KernelPlan& plan, std::int16_t step) {
  return std::any_of(plan.outputs.begin(), plan.outputs.end(), [step](const OutputSpec& output) {
    return output.value == step || output.offset == step || output.predicate == step;
  });
}

// What the part reads is read by step `i`, which computes the part.
void take_over(TileStep& part, std::size_t i, std::vector<int>& last) {
  part.loop = nullptr;
  part.is_part = true;
  for (const std::int16_t read : part.args) {
    if (read < 0) continue;
    int& last_read = last[static_cast<std::size_t>(read)];
    last_read = std::max(last_read, static_cast<int>(i));
  }
}

}  // namespace

LoopFunction scalar_loop_of(const TileProgram& program, std::size_t i, int argument) {
  const TileStep& step = program.steps[i];
  const bool is_of_two = step.kind == StepKind::ufunc && step.args[1] >= 0 && step.args[2] < 0;
  if (!is_of_two || step.uniform || step.index != 0) return nullptr;
  const DType types[2] = {program.steps[static_cast<std::size_t>(step.args[0])].dtype,
                          program.steps[static_cast<std::size_t>(step.args[1])].dtype};
  const UfuncId ufunc = program.plan.steps[i].ufunc;
  return find_scalar_loop(ufunc, find_loop_number(ufunc, types), argument);
}

// Indices that are counted from the end where they are negative: a gather computes that itself, as
// select(less(i, zero), add(i, extent), i) which nothing else reads.
void join_counted_gathers(TileProgram& program, std::vector<int>& last) {
  const KernelPlan& plan = program.plan;
  if (plan.kind() != PlanKind::map) return;
  const auto step_at = [&plan](std::int16_t i) -> const Step& {
    return plan.steps[static_cast<std::size_t>(i)];
  };
  const auto is_ufunc = [&](std::int16_t i, UfuncId ufunc) {
    return step_at(i).kind == StepKind::ufunc && step_at(i).ufunc == ufunc &&
           step_at(step_at(i).args[0]).dtype == DType::int64 &&
           step_at(step_at(i).args[1]).kind == StepKind::scalar &&
           step_at(step_at(i).args[1]).dtype == DType::int64;
  };
  const auto is_read_once = [&](std::int16_t i, int reader) {
    if (last[static_cast<std::size_t>(i)] != reader) return false;
    return std::count_if(plan.steps.begin(), plan.steps.end(),
                         [&](const Step& step) { return reads(plan, step, i); }) == 1;
  };
  for (std::size_t g = 0; g < plan.steps.size(); ++g) {
    if (plan.steps[g].kind != StepKind::gather) continue;
    const std::int16_t chosen = plan.steps[g].args[0];
    const Step& select = step_at(chosen);
    if (select.kind != StepKind::select ||
        program.steps[static_cast<std::size_t>(chosen)].uniform) {
      continue;
    }
    const std::int16_t below = select.args[0], shifted = select.args[1], index = select.args[2];
    if (!is_ufunc(below, UfuncId::less) || !is_ufunc(shifted, UfuncId::add)) continue;
    if (step_at(below).args[0] != index || step_at(shifted).args[0] != index) continue;
    if (!is_read_once(chosen, static_cast<int>(g)) || !is_read_once(below, chosen) ||
        !is_read_once(shifted, chosen)) {
      continue;
    }
    TileStep& gather = program.steps[g];
    gather.counts = true;
    gather.args = {index, step_at(below).args[1], step_at(shifted).args[1]};
    for (const std::int16_t part : {chosen, below, shifted}) {
      program.steps[static_cast<std::size_t>(part)].is_part = true;
    }
    int& last_of_index = last[static_cast<std::size_t>(index)];
    last_of_index = std::max(last_of_index, static_cast<int>(g));
  }
}

// minimum(maximum(values, low), high) of two numbers, of which nothing else reads the first: one
// loop of both.
void join_limits(TileProgram& program, std::vector<int>& last) {
  const KernelPlan& plan = program.plan;
  if (plan.kind() != PlanKind::map) return;
  const auto is_limit = [&](std::size_t i, UfuncId ufunc) {
    return plan.steps[i].kind == StepKind::ufunc && plan.steps[i].ufunc == ufunc &&
           program.steps[i].scalar_args == kSecond;
  };
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    if (!is_limit(i, UfuncId::minimum)) continue;
    TileStep& step = program.steps[i];
    const auto lower = static_cast<std::size_t>(step.args[0]);
    const LoopFunction loop = find_clip(step.dtype);
    if (loop == nullptr || !is_limit(lower, UfuncId::maximum)) continue;
    if (!is_only_reader(plan, step.args[0], i, last)) continue;
    TileStep& part = program.steps[lower];
    step.args = {part.args[0], part.args[1], step.args[1]};
    step.scalar_args = kSecond | kSecond << 1;
    step.loop = loop;
    take_over(part, i, last);
  }
}

// add(sums, multiply(values, number)), of which nothing else reads the product: one loop of both.
void join_products(TileProgram& program, std::vector<int>& last) {
  const KernelPlan& plan = program.plan;
  if (plan.kind() != PlanKind::map) return;
  const auto is_ufunc = [&](std::size_t i, UfuncId ufunc, unsigned scalar_args) {
    const TileStep& step = program.steps[i];
    return step.kind == StepKind::ufunc && plan.steps[i].ufunc == ufunc &&
           step.scalar_args == scalar_args && step.loop != nullptr && !step.uniform;
  };
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    if (!is_ufunc(i, UfuncId::add, 0)) continue;
    TileStep& step = program.steps[i];
    const std::int16_t product = step.args[1];
    const LoopFunction loop = find_added_product(step.dtype);
    if (loop == nullptr || product == step.args[0]) continue;
    TileStep& part = program.steps[static_cast<std::size_t>(product)];
    if (!is_ufunc(static_cast<std::size_t>(product), UfuncId::multiply, kSecond) ||
        part.dtype != step.dtype || !is_only_reader(plan, product, i, last)) {
      continue;
    }
    step.args = {step.args[0], part.args[0], part.args[1]};
    step.scalar_args = kSecond << 1;
    step.loop = loop;
    take_over(part, i, last);
  }
}

void find_order(TileProgram& program) {
  const OutputSpec& output = program.plan.outputs[0];
  if (output.store != StoreKind::expand) return;
  const TileStep& value = program.steps[static_cast<std::size_t>(output.value)];
  program.in_order = value.kind == StepKind::gather && !value.counts &&
                     program.steps[static_cast<std::size_t>(value.args[0])].kind == StepKind::rank;
}

// Places that are a row's and those within it: `a[rows]` and `a[rows] = values`.
void find_rows(TileProgram& program) {
  const KernelPlan& plan = program.plan;
  if (plan.kind() != PlanKind::map || goes_by_mask_tiles(plan.outputs[0].store)) return;
  const auto is_of_places = [&program](std::int16_t i) {
    if (i < 0) return false;
    const TileStep& step = program.steps[static_cast<std::size_t>(i)];
    return step.kind == StepKind::load && !step.uniform && step.in_place &&
           program.plan.inputs[step.index].turned == 0;
  };
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const Step& sum = plan.steps[i];
    if (sum.kind != StepKind::ufunc || sum.ufunc != UfuncId::add || sum.dtype != DType::int64 ||
        program.steps[i].is_part || !is_of_places(sum.args[0]) || !is_of_places(sum.args[1])) {
      continue;
    }
    const auto number = static_cast<std::int16_t>(i);
    const bool only_finds =
        std::none_of(program.steps.begin(), program.steps.end(), [&](const TileStep& reader) {
          return program.reads(reader, number) &&
                 (reader.kind != StepKind::gather || reader.counts);
        });
    const bool only_places =
        std::all_of(plan.outputs.begin(), plan.outputs.end(), [number](const OutputSpec& output) {
          return output.value != number && output.predicate != number &&
                 (output.offset != number ||
                  (output.store == StoreKind::scatter && output.predicate < 0));
        });
    program.steps[i].may_follow = only_finds && only_places;
    program.copies_rows |= program.steps[i].may_follow;
  }
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    const auto number = static_cast<std::int16_t>(i);
    program.steps[i].finds_rows =
        is_of_places(number) && !is_stored(plan, number) &&
        std::all_of(program.steps.begin(), program.steps.end(), [&](const TileStep& reader) {
          return reader.may_follow || !program.reads(reader, number);
        });
  }
}

// The same of a step whose loop reads all elements of both.
LoopFunction one_loop_of(const TileProgram& program, std::size_t i, int argument) {
  const TileStep& step = program.steps[i];
  const bool reads_both = step.loop != nullptr && step.scalar_args == 0 && !step.may_follow &&
                          step.args[0] != step.args[1];
  return reads_both ? scalar_loop_of(program, i, argument) : nullptr;
}

// Loads of which a row may have one element, as of a column beside a matrix.
void find_ones(TileProgram& program) {
  const KernelPlan& plan = program.plan;
  if (plan.kind() != PlanKind::map || goes_by_mask_tiles(plan.outputs[0].store)) return;
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    TileStep& load = program.steps[i];
    const auto number = static_cast<std::int16_t>(i);
    load.may_be_one = load.kind == StepKind::load && !load.uniform && !load.finds_rows &&
                      plan.inputs[load.index].layout == OperandLayout::strided &&
                      plan.inputs[load.index].turned == 0 && !is_stored(plan, number);
    for (std::size_t r = i + 1; load.may_be_one && r < program.steps.size(); ++r) {
      const TileStep& reader = program.steps[r];
      load.may_be_one = !reader.is_call() || !program.reads(reader, number);
      for (int a = 0; a < 3; ++a) {
        if (reader.args[static_cast<std::size_t>(a)] != number) continue;
        load.may_be_one = load.may_be_one && a < 2 && one_loop_of(program, r, a) != nullptr;
      }
    }
  }
  for (std::size_t r = 0; r < program.steps.size(); ++r) {
    TileStep& step = program.steps[r];
    for (int a = 0; a < 2; ++a) {
      const std::int16_t read = step.args[static_cast<std::size_t>(a)];
      if (read < 0 || !program.steps[static_cast<std::size_t>(read)].may_be_one) continue;
      step.one_loops[static_cast<std::size_t>(a)] = one_loop_of(program, r, a);
    }
  }
}

void find_pairs(TileProgram& program) {
  const KernelPlan& plan = program.plan;
  if (plan.kind() != PlanKind::map) return;
  for (std::size_t i = 0; i + 1 < program.steps.size(); ++i) {
    TileStep& first = program.steps[i];
    const TileStep& second = program.steps[i + 1];
    const bool are_of_one_call = first.kind == StepKind::ufunc && second.kind == StepKind::ufunc &&
                                 plan.steps[i].ufunc == plan.steps[i + 1].ufunc &&
                                 first.index == 0 && second.index == 1 && first.args == second.args;
    if (!are_of_one_call || first.uniform || first.scalar_args != 0) continue;
    DType types[3]{};
    for (std::size_t a = 0; a < 3 && first.args[a] >= 0; ++a) {
      types[a] = program.steps[static_cast<std::size_t>(first.args[a])].dtype;
    }
    const UfuncId ufunc = plan.steps[i].ufunc;
    first.pair = find_pair(ufunc, find_loop_number(ufunc, types));
  }
}

void find_untiled(TileProgram& program) {
  const KernelPlan& plan = program.plan;
  const bool is_plain = plan.kind() == PlanKind::map && plan.outputs.size() == 1 &&
                        plan.outputs[0].store == StoreKind::plain &&
                        plan.outputs[0].operand.layout == OperandLayout::contiguous;
  if (!is_plain) return;
  const auto lies_there = [&plan](const TileStep& step) {
    return step.in_place && plan.inputs[step.index].turned == 0 &&
           plan.inputs[step.index].layout == OperandLayout::contiguous;
  };
  const auto is_number = [](const TileStep& step) {
    return step.uniform && (step.kind == StepKind::scalar || step.kind == StepKind::load);
  };
  const TileStep& step = program.steps[static_cast<std::size_t>(plan.outputs[0].value)];
  if (step.loop == nullptr || step.uniform) {
    const bool is_line = plan.rank == 1 && step.in_place && plan.inputs[step.index].turned == 0;
    if (lies_there(step) || is_number(step) || is_line) {
      program.untiled = plan.outputs[0].value;
    }
    return;
  }
  for (int a = 0; a < 3; ++a) {
    if (step.args[static_cast<std::size_t>(a)] < 0) continue;
    const TileStep& argument =
        program.steps[static_cast<std::size_t>(step.args[static_cast<std::size_t>(a)])];
    if (!(step.reads_one(a) ? is_number(argument) : lies_there(argument))) return;
  }
  program.untiled = plan.outputs[0].value;
}

void find_linear(TileProgram& program) {
  const KernelPlan& plan = program.plan;
  const bool is_plain =
      plan.kind() == PlanKind::map &&
      std::all_of(program.steps.begin(), program.steps.end(), is_of_numbers) &&
      std::all_of(plan.outputs.begin(), plan.outputs.end(), [](const OutputSpec& output) {
        return output.store == StoreKind::plain && !output.operand.per_row;
      });
  program.linear =
      is_plain &&
      std::all_of(plan.inputs.begin(), plan.inputs.end(),
                  [](const OperandSpec& input) {
                    return input.turned == 0 && input.layout != OperandLayout::strided;
                  }) &&
      std::all_of(plan.outputs.begin(), plan.outputs.end(), [](const OutputSpec& output) {
        return output.operand.layout == OperandLayout::contiguous;
      });
  program.by_rows = is_plain && !program.linear;
}

}  // namespace cupola::cpu
