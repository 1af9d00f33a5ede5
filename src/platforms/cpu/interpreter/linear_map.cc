#include "platforms/cpu/interpreter/linear_map.h"

#include <algorithm>
#include <functional>
#include <new>

#include "core/layout.h"
#include "platforms/cpu/interpreter/strided.h"

namespace cupola::cpu {

LinearMap::LinearMap(const TileProgram& program, const LaunchArguments& arguments,
                     TileEvaluator& evaluator, Scratch& scratch)
    : program_(program),
      arguments_(arguments),
      evaluator_(evaluator),
      by_rows_(!program.linear),
      calls_(reinterpret_cast<Call*>(
          scratch.take((2 * program.steps.size() + program.plan.outputs.size()) * sizeof(Call)))),
      rows_(by_rows_
                ? reinterpret_cast<Rows*>(scratch.take(
                      (program.plan.inputs.size() + program.plan.outputs.size()) * sizeof(Rows)))
                : nullptr),
      tile_(evaluator.capacity()) {
  const KernelPlan& plan = program.plan;
  for (std::size_t i = 0; by_rows_ && i < plan.inputs.size(); ++i) {
    set_rows(arguments.inputs[i].strides, plan.inputs[i].dtype, *new (&rows_[i]) Rows);
  }
  for (std::size_t o = 0; by_rows_ && o < plan.outputs.size(); ++o) {
    set_rows(arguments.outputs[o].strides, plan.outputs[o].operand.dtype,
             *new (&rows_[plan.inputs.size() + o]) Rows);
  }
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    const TileStep& step = program.steps[i];
    if (step.loop != nullptr && !step.uniform) add_loop(step, static_cast<int>(i));
  }
  for (std::size_t o = 0; o < plan.outputs.size(); ++o) add_store(o);
}

bool LinearMap::lies_in_rows(const TileProgram& program, const LaunchArguments& arguments) {
  if (!program.may_lie_in_rows || arguments.extents.rank() < 2) return false;
  const KernelPlan& plan = program.plan;
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    const bool is_number = plan.inputs[i].layout == OperandLayout::broadcast;
    const std::int64_t stride = is_number ? 0 : arguments.inputs[i].strides.back();
    if (stride != 0 && stride != 1) return false;
  }
  return std::all_of(arguments.outputs.begin(), arguments.outputs.end(),
                     [](const OperandArgument& output) { return output.strides.back() == 1; });
}

void LinearMap::set_rows(const Dims& strides, DType dtype, Rows& rows) const {
  for (std::size_t d = 0; d + 1 < strides.size(); ++d) {
    rows.steps[d] = strides[d] * static_cast<std::int64_t>(item_size(dtype));
  }
}

LinearMap::Place LinearMap::input_place(std::size_t input) const {
  const OperandArgument& operand = arguments_.inputs[input];
  const auto size = static_cast<std::int64_t>(item_size(program_.plan.inputs[input].dtype));
  const bool repeats = by_rows_ && operand.strides.back() == 0;
  return {static_cast<char*>(operand.pointer), repeats ? 0 : size,
          by_rows_ ? &rows_[input].offset : &here_};
}

LinearMap::Place LinearMap::output_place(std::size_t output) const {
  const auto size =
      static_cast<std::int64_t>(item_size(program_.plan.outputs[output].operand.dtype));
  return {static_cast<char*>(arguments_.outputs[output].pointer), size,
          by_rows_ ? &rows_[program_.plan.inputs.size() + output].offset : &here_};
}

bool LinearMap::is_one(int i) const {
  const TileStep& step = program_.steps[static_cast<std::size_t>(i)];
  return by_rows_ && step.kind == StepKind::load && !step.uniform &&
         arguments_.inputs[step.index].strides.back() == 0;
}

LinearMap::Place LinearMap::place_of(int i) const {
  const TileStep& step = program_.steps[static_cast<std::size_t>(i)];
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): loops do not write what they read
  if (step.uniform) return {static_cast<char*>(const_cast<void*>(evaluator_.value(i))), 0, &here_};
  if (step.loop == nullptr) return input_place(step.index);
  const int output = step.output >= 0 ? step.output : output_of(i);
  return output >= 0 ? output_place(static_cast<std::size_t>(output))
                     : Place{evaluator_.slot(i), 0, &here_};
}

LinearMap::Place LinearMap::spread(int i) {
  const TileStep& step = program_.steps[static_cast<std::size_t>(i)];
  const Place buffer{evaluator_.slot(i), 0, &here_};
  const bool is_there =
      std::any_of(calls_, calls_ + count_, [i](const Call& call) { return call.spread == i; });
  if (is_there) return buffer;
  Call& call = *new (&calls_[count_++]) Call;
  call.inputs[0] = input_place(step.index);
  call.inputs[1] = call.inputs[2] = buffer;
  call.result = buffer;
  call.item_size = static_cast<std::int64_t>(step.item_size);
  call.repeats = true;
  call.spread = i;
  return buffer;
}

int LinearMap::output_of(int step) const {
  for (std::size_t o = 0; o < program_.plan.outputs.size() && !by_rows_; ++o) {
    if (program_.plan.outputs[o].value == step && is_apart(o)) return static_cast<int>(o);
  }
  return -1;
}

bool LinearMap::is_apart(std::size_t output) const {
  const std::int64_t elements = element_count(arguments_.extents);
  const Place target = output_place(output);
  const std::less_equal<> not_after;
  for (std::size_t i = 0; i < arguments_.inputs.size(); ++i) {
    const OperandSpec& spec = program_.plan.inputs[i];
    const std::int64_t count = spec.layout == OperandLayout::broadcast ? 1 : elements;
    const auto* const first = static_cast<const char*>(arguments_.inputs[i].pointer);
    const char* const end = first + count * static_cast<std::int64_t>(item_size(spec.dtype));
    if (!not_after(end, target.first) && !not_after(target.at(elements), first)) return false;
  }
  return true;
}

void LinearMap::add_loop(const TileStep& step, int i) {
  Call call;
  call.loop = step.loop;
  call.result = place_of(i);
  for (std::size_t a = 0; a < 3; ++a) {
    call.inputs[a].row = &here_;
    if (step.args[a] < 0) continue;
    if (!is_one(step.args[a])) {
      call.inputs[a] = place_of(step.args[a]);
    } else if (a < 2 && call.loop == step.loop && step.one_loops[a] != nullptr) {
      call.inputs[a] = place_of(step.args[a]);
      call.loop = step.one_loops[a];
    } else {
      call.inputs[a] = spread(step.args[a]);
    }
    const TileStep& argument = program_.steps[static_cast<std::size_t>(step.args[a])];
    if (argument.repeats && !step.reads_one(static_cast<int>(a))) {
      tile_ = std::min(tile_, program_.repeated_elements);
    }
  }
  new (&calls_[count_++]) Call(call);
}

void LinearMap::add_store(std::size_t output) {
  const int value = program_.plan.outputs[output].value;
  const TileStep& step = program_.steps[static_cast<std::size_t>(value)];
  const bool is_made_there = step.output == static_cast<int>(output) ||
                             (step.output < 0 && output_of(value) == static_cast<int>(output));
  if (step.loop != nullptr && !step.uniform && is_made_there) return;
  Call& call = *new (&calls_[count_++]) Call;
  call.inputs[0] = place_of(value);
  call.inputs[1] = call.inputs[2] = call.inputs[0];
  call.result = output_place(output);
  call.item_size = static_cast<std::int64_t>(step.item_size);
  call.repeats = step.uniform || is_one(value);
}

void LinearMap::go_to_row(std::int64_t row) {
  const std::size_t operands = program_.plan.inputs.size() + program_.plan.outputs.size();
  std::for_each(rows_, rows_ + operands, [](Rows& rows) { rows.offset = 0; });
  for (std::size_t d = arguments_.extents.size() - 1; d-- > 0;) {
    position_[d] = row % arguments_.extents[d];
    row /= arguments_.extents[d];
    for (std::size_t o = 0; o < operands; ++o) rows_[o].offset += position_[d] * rows_[o].steps[d];
  }
}

void LinearMap::go_to_next_row() {
  const std::size_t operands = program_.plan.inputs.size() + program_.plan.outputs.size();
  for (std::size_t d = arguments_.extents.size() - 1; d-- > 0;) {
    for (std::size_t o = 0; o < operands; ++o) rows_[o].offset += rows_[o].steps[d];
    if (++position_[d] < arguments_.extents[d]) return;
    for (std::size_t o = 0; o < operands; ++o) {
      rows_[o].offset -= position_[d] * rows_[o].steps[d];
    }
    position_[d] = 0;
  }
}

void LinearMap::run_rows(std::int64_t first, std::int64_t end) {
  go_to_row(first);
  for (std::int64_t row = first; row < end; ++row) {
    run(0, arguments_.extents.back());
    go_to_next_row();
  }
}

void LinearMap::run(std::int64_t first, std::int64_t end) const {
  for (std::int64_t begin = first; begin < end; begin += tile_) {
    const std::int64_t count = std::min(tile_, end - begin);
    for (std::size_t i = 0; i < count_; ++i) {
      const Call& call = calls_[i];
      const void* const inputs[3] = {call.inputs[0].at(begin), call.inputs[1].at(begin),
                                     call.inputs[2].at(begin)};
      void* const result = call.result.at(begin);
      if (call.loop != nullptr) {
        call.loop(inputs, result, count);
      } else if (call.repeats) {
        fill_row(result, inputs[0], count, static_cast<std::size_t>(call.item_size));
      } else if (result != inputs[0]) {
        move_bytes(result, inputs[0], static_cast<std::size_t>(count * call.item_size));
      }
    }
  }
}

}  // namespace cupola::cpu
