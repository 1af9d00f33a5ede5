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
      calls_(reinterpret_cast<Call*>(
          scratch.take((program.steps.size() + program.plan.outputs.size()) * sizeof(Call)))),
      tile_(evaluator.capacity()) {
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    const TileStep& step = program.steps[i];
    if (step.loop != nullptr && !step.uniform) add_loop(step, static_cast<int>(i));
  }
  for (std::size_t o = 0; o < program.plan.outputs.size(); ++o) add_store(o);
}

LinearMap::Place LinearMap::output_place(std::size_t output) const {
  const auto size =
      static_cast<std::int64_t>(item_size(program_.plan.outputs[output].operand.dtype));
  return {static_cast<char*>(arguments_.outputs[output].pointer), size};
}

LinearMap::Place LinearMap::place_of(int i) const {
  const TileStep& step = program_.steps[static_cast<std::size_t>(i)];
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): loops do not write what they read
  if (step.uniform) return {static_cast<char*>(const_cast<void*>(evaluator_.value(i))), 0};
  if (step.loop == nullptr) {
    return {static_cast<char*>(arguments_.inputs[step.index].pointer),
            static_cast<std::int64_t>(step.item_size)};
  }
  const int output = step.output >= 0 ? step.output : output_of(i);
  return output >= 0 ? output_place(static_cast<std::size_t>(output))
                     : Place{evaluator_.slot(i), 0};
}

int LinearMap::output_of(int step) const {
  for (std::size_t o = 0; o < program_.plan.outputs.size(); ++o) {
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
  Call& call = *new (&calls_[count_++]) Call;
  call.loop = step.loop;
  call.result = place_of(i);
  for (std::size_t a = 0; a < 3; ++a) {
    if (step.args[a] < 0) continue;
    call.inputs[a] = place_of(step.args[a]);
    const TileStep& argument = program_.steps[static_cast<std::size_t>(step.args[a])];
    if (argument.repeats && !step.reads_one(static_cast<int>(a))) {
      tile_ = std::min(tile_, program_.repeated_elements);
    }
  }
}

void LinearMap::add_store(std::size_t output) {
  const int value = program_.plan.outputs[output].value;
  const TileStep& step = program_.steps[static_cast<std::size_t>(value)];
  const bool is_made_there = step.output == static_cast<int>(output) ||
                             (step.output < 0 && output_of(value) == static_cast<int>(output));
  if (step.loop != nullptr && !step.uniform && is_made_there) return;
  Call& call = *new (&calls_[count_++]) Call;
  call.inputs[0] = place_of(value);
  call.result = output_place(output);
  call.item_size = static_cast<std::int64_t>(step.item_size);
  call.repeats = step.uniform;
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
