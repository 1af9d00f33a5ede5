#include "platforms/cpu/interpreter/tile_buffers.h"

#include <algorithm>

#include "codegen/row_program.h"
#include "codegen/user/user_function.h"

namespace cupola::cpu {
namespace {

constexpr std::size_t kTileBytes = 64 * 1024;    // of one array
constexpr std::size_t kBufferBytes = 24 * 1024;  // of all tile buffers together
// The same of maps: what they read and write passes through the first cache as well.
constexpr std::size_t kMapBufferBytes = 8 * 1024;

// The step that computes the value of step `i`.
int computing_step(const TileProgram& program, int i) {
  const TileStep& step = program.steps[static_cast<std::size_t>(i)];
  if (!step.is_call()) return i;
  int first = i;
  for (const int result : program.calls[step.index].results) {
    if (result >= 0) first = std::min(first, result);
  }
  return first;
}

}  // namespace

std::vector<int> last_uses(const TileProgram& program) {
  const KernelPlan& plan = program.plan;
  const int end = static_cast<int>(plan.steps.size());
  std::vector<int> last(plan.steps.size(), -1);
  for (int i = 0; i < end; ++i) {
    const int reader = computing_step(program, i);
    for (const std::int16_t read : arguments_of(plan, plan.steps[static_cast<std::size_t>(i)])) {
      int& last_read = last[static_cast<std::size_t>(read)];
      last_read = std::max(last_read, reader);
    }
  }
  for (const OutputSpec& output : plan.outputs) {
    for (const std::int16_t step : {output.value, output.offset, output.predicate}) {
      if (step >= 0) last[static_cast<std::size_t>(step)] = end;
    }
  }
  // combine_together() computes all elements before it combines.
  if (plan.kind() == PlanKind::rows && row_program(plan).is_reduction) {
    for (const Step& step : plan.steps) {
      if (step.kind == StepKind::combine) last[static_cast<std::size_t>(step.args[0])] = end;
    }
  }
  return last;
}

// A value may be computed right in an output's memory when no input that is read in place (and
// may be the same memory) is needed afterwards.
void assign_outputs(TileProgram& program, const std::vector<int>& last) {
  const KernelPlan& plan = program.plan;
  if (plan.kind() != PlanKind::map && plan.kind() != PlanKind::rows) return;
  for (std::size_t o = 0; o < plan.outputs.size(); ++o) {
    const OutputSpec& output = plan.outputs[o];
    if (output.store != StoreKind::plain || output.operand.per_row) continue;
    const int value = computing_step(program, output.value);
    TileStep& step = program.steps[static_cast<std::size_t>(output.value)];
    if (step.uniform || step.output >= 0 || step.level != StepLevel::element) continue;
    bool safe = true;
    // The outputs of rows share no memory with what they are made of.
    for (std::size_t i = 0; i < program.steps.size() && plan.kind() == PlanKind::map; ++i) {
      if (static_cast<int>(i) == output.value) continue;
      const TileStep& other = program.steps[i];
      const bool reads_later = other.kind == StepKind::load || other.kind == StepKind::gather;
      if (reads_later && !other.uniform && static_cast<int>(i) > value) safe = false;
      if (other.in_place && last[i] > value) safe = false;
    }
    if (safe) step.output = static_cast<int>(o);
  }
}

void assign_slots(TileProgram& program, const std::vector<int>& last) {
  std::vector<std::vector<int>> free(17);
  // Rows that are combined once may be walked across; of rows of one element, which are ordered,
  // any stride may be that of contiguous operands.
  const bool along =
      (program.plan.kind() == PlanKind::map && !orders_rows(program.plan.outputs[0].store)) ||
      (program.plan.kind() == PlanKind::rows && !row_program(program.plan).is_reduction);
  const auto new_slot = [&program](std::size_t size, bool repeats) {
    program.slot_item_sizes.push_back(size);
    program.slot_repeats.push_back(repeats);
    return static_cast<int>(program.slot_item_sizes.size()) - 1;
  };
  const auto assign = [&](TileStep& step) {
    const bool lies_there = along && step.in_place &&
                            program.plan.inputs[step.index].layout == OperandLayout::contiguous;
    const bool only_of_rows = step.level == StepLevel::row && !step.spread;
    if (lies_there || only_of_rows) return;
    auto& candidates = free[step.item_size];
    if (step.uniform || candidates.empty()) {
      step.slot = new_slot(step.item_size, step.repeats);
    } else {
      step.slot = candidates.back();
      candidates.pop_back();
    }
  };
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    TileStep& step = program.steps[i];
    if (!step.is_part) assign(step);
    if (!step.is_part && step.is_call()) {
      TileCall& call = program.calls[step.index];
      const std::vector<DType>& outputs =
          program.plan.calls[program.plan.steps[i].index].function->outputs;
      for (std::size_t r = 0; r < outputs.size(); ++r) {
        const int other = call.results[r];
        if (other > static_cast<int>(i)) assign(program.steps[static_cast<std::size_t>(other)]);
        call.unread.push_back(other < 0 ? new_slot(item_size(outputs[r]), false) : -1);
      }
    }
    for (std::size_t j = 0; j <= i; ++j) {
      const TileStep& dead = program.steps[j];
      const bool ends = std::max(last[j], static_cast<int>(j)) == static_cast<int>(i);
      const bool stays = dead.uniform || dead.level == StepLevel::row;
      if (ends && !stays && dead.slot >= 0) free[dead.item_size].push_back(dead.slot);
    }
  }
}

// What is computed right in an output needs no buffer, as a rule. Buffers had better stay in the
// first cache.
void choose_tile(TileProgram& program) {
  std::size_t bytes = 0, largest = 1;
  std::vector<bool> direct(program.slot_item_sizes.size(), false);
  for (const TileStep& step : program.steps) {
    largest = std::max(largest, step.item_size);
    if (step.output >= 0 && step.slot >= 0) direct[static_cast<std::size_t>(step.slot)] = true;
  }
  for (std::size_t i = 0; i < program.slot_item_sizes.size(); ++i) {
    if (!program.slot_repeats[i] && !direct[i]) bytes += program.slot_item_sizes[i];
  }
  const bool is_map = program.plan.kind() == PlanKind::map;
  const std::size_t buffers = is_map ? kMapBufferBytes : kBufferBytes;
  const std::size_t elements = bytes == 0 ? kTileBytes / largest : buffers / bytes;
  const std::size_t unit = is_map ? 256 : 1024;
  program.tile_elements =
      static_cast<std::int64_t>(std::max<std::size_t>(elements / unit, 1) * unit);
  const auto regular = [](const OperandSpec& operand) {
    return operand.layout != OperandLayout::strided || operand.per_row;
  };
  program.all_contiguous =
      std::all_of(program.plan.inputs.begin(), program.plan.inputs.end(), regular) &&
      std::all_of(program.plan.outputs.begin(), program.plan.outputs.end(),
                  [&](const OutputSpec& output) { return regular(output.operand); });
}

}  // namespace cupola::cpu
