#include "codegen/row_program.h"

#include <algorithm>
#include <set>

namespace cupola {
namespace {

StepLevel level_of(const KernelPlan& plan, const Step& step, const std::vector<StepLevel>& before) {
  switch (step.kind) {
    case StepKind::scalar:
      return StepLevel::uniform;
    case StepKind::load: {
      const OperandSpec& input = plan.inputs[step.index];
      if (input.layout == OperandLayout::broadcast) return StepLevel::uniform;
      return input.per_row ? StepLevel::row : StepLevel::element;
    }
    case StepKind::combine:
      return StepLevel::row;
    case StepKind::index:
    case StepKind::rank:
    case StepKind::gather:
      return StepLevel::element;
    case StepKind::cast:
    case StepKind::ufunc:
    case StepKind::select:
    case StepKind::user:
      break;
  }
  StepLevel level = StepLevel::uniform;
  for (const std::int16_t argument : arguments_of(plan, step)) {
    level = std::max(level, before[static_cast<std::size_t>(argument)]);
  }
  return level;
}

int sort_steps(const KernelPlan& plan, RowProgram& program) {
  int deepest = 0;
  for (const Step& step : plan.steps) {
    int depth = 0;
    for (const std::int16_t argument : arguments_of(plan, step)) {
      depth = std::max(depth, program.depths[static_cast<std::size_t>(argument)]);
    }
    if (step.kind == StepKind::combine) ++depth;
    program.levels.push_back(level_of(plan, step, program.levels));
    program.depths.push_back(depth);
    deepest = std::max(deepest, depth);
  }
  return deepest;
}

// What has to be computed for some values, as far as it is not there.
class Needed {
 public:
  Needed(const KernelPlan& plan, const RowProgram& program, const std::set<int>& there)
      : plan_(plan), program_(program), there_(there) {}

  void add(int i) {
    const StepLevel level = program_.levels[static_cast<std::size_t>(i)];
    if (level == StepLevel::row) return;
    if (there_.contains(i)) {
      held.insert(i);
      return;
    }
    if (!steps.insert(i).second) return;
    for (const std::int16_t argument :
         arguments_of(plan_, plan_.steps[static_cast<std::size_t>(i)])) {
      add(argument);
    }
  }
  std::set<int> steps;
  std::set<int> held;

 private:
  const KernelPlan& plan_;
  const RowProgram& program_;
  const std::set<int>& there_;
};

std::vector<int> listed(const std::set<int>& steps) { return {steps.begin(), steps.end()}; }

RowStage stage_of(const KernelPlan& plan, const RowProgram& program, int number, bool is_last) {
  RowStage stage;
  std::set<int> wanted;
  for (std::size_t i = 0; i < plan.steps.size() && !is_last; ++i) {
    if (plan.steps[i].kind != StepKind::combine || program.depths[i] != number + 1) continue;
    stage.combined.push_back(static_cast<int>(i));
    wanted.insert(plan.steps[i].args[0]);
  }
  for (const OutputSpec& output : plan.outputs) {
    if (is_last && !output.operand.per_row) wanted.insert(output.value);
  }
  stage.wanted = listed(wanted);
  return stage;
}

// The values of elements that are held after stage `number`.
int held_bytes(const KernelPlan& plan, const RowProgram& program, std::size_t number) {
  std::set<int> live;
  for (std::size_t later = number + 1; later < program.stages.size(); ++later) {
    live.insert(program.stages[later].held.begin(), program.stages[later].held.end());
  }
  for (std::size_t later = number + 1; later < program.stages.size(); ++later) {
    for (const int step : program.stages[later].steps) live.erase(step);
  }
  int bytes = 0;
  for (const int step : live) {
    const auto size = item_size(plan.steps[static_cast<std::size_t>(step)].dtype);
    bytes += std::max(4, static_cast<int>(size));
  }
  return bytes;
}

}  // namespace

bool RowProgram::is_held(int step) const {
  return std::any_of(stages.begin(), stages.end(), [step](const RowStage& stage) {
    return std::binary_search(stage.held.begin(), stage.held.end(), step);
  });
}

RowProgram row_program(const KernelPlan& plan) {
  RowProgram program;
  const int combining = sort_steps(plan, program);
  std::set<int> there;
  const std::set<int> nothing;
  for (int number = 0; number <= combining; ++number) {
    RowStage stage = stage_of(plan, program, number, number == combining);
    Needed rest(plan, program, there);
    Needed all(plan, program, nothing);
    for (const int step : stage.wanted) {
      rest.add(step);
      all.add(step);
    }
    stage.steps = listed(rest.steps);
    stage.held = listed(rest.held);
    stage.all_steps = listed(all.steps);
    for (const int step : stage.steps) {
      if (program.levels[static_cast<std::size_t>(step)] == StepLevel::element) there.insert(step);
    }
    program.stages.push_back(std::move(stage));
  }
  for (std::size_t number = 0; number < program.stages.size(); ++number) {
    program.held_bytes = std::max(program.held_bytes, held_bytes(plan, program, number));
  }
  program.is_reduction =
      combining == 1 && std::all_of(plan.outputs.begin(), plan.outputs.end(),
                                    [](const OutputSpec& out) { return out.operand.per_row; });
  return program;
}

}  // namespace cupola
