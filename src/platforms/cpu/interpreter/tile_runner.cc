#include "platforms/cpu/interpreter/tile_runner.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/layout.h"
#include "cupola/error.h"

namespace cupola::cpu {

std::int64_t cost_of(const TileProgram& program, const LaunchArguments& arguments) {
  double cost = program.cost;
  for (const std::int64_t extent : arguments.extents) cost *= static_cast<double>(extent);
  return static_cast<std::int64_t>(std::min(cost, 1e18));
}

void check_arguments(const TileProgram& program, const LaunchArguments& arguments) {
  const KernelPlan& plan = program.plan;
  const auto refuse = [](std::string_view what, std::size_t asked, std::size_t found) {
    throw LaunchError(
        fmt::format("the kernel has {} {}, the launch brings {}", asked, what, found));
  };
  const auto rank = static_cast<std::size_t>(plan.rank);
  if (arguments.extents.size() != rank) refuse("dimensions", rank, arguments.extents.size());
  if (arguments.inputs.size() != plan.inputs.size()) {
    refuse("inputs", plan.inputs.size(), arguments.inputs.size());
  }
  if (arguments.outputs.size() != plan.outputs.size()) {
    refuse("outputs", plan.outputs.size(), arguments.outputs.size());
  }
  if (arguments.scalars.size() != plan.scalars.size()) {
    refuse("scalars", plan.scalars.size(), arguments.scalars.size());
  }
  for (std::size_t i = 0; i < plan.scalars.size(); ++i) {
    if (arguments.scalars[i].dtype() != plan.scalars[i]) {
      throw LaunchError(fmt::format("scalar {} of the kernel is {}, the launch brings {}", i,
                                    name_of(plan.scalars[i]),
                                    name_of(arguments.scalars[i].dtype())));
    }
  }
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    const bool strides = plan.inputs[i].layout != OperandLayout::indexed;
    if (strides && arguments.inputs[i].strides.size() != rank) {
      refuse("strides per input", rank, arguments.inputs[i].strides.size());
    }
  }
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    if (plan.inputs[i].turned == 0) continue;
    const std::size_t turns = i < arguments.turns.size() ? arguments.turns[i].size() : 0;
    if (turns != rank) refuse("turns per rolled input", rank, turns);
  }
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
    const bool strides = plan.outputs[i].operand.layout != OperandLayout::indexed;
    if (strides && arguments.outputs[i].strides.size() != rank) {
      refuse("strides per output", rank, arguments.outputs[i].strides.size());
    }
  }
}

void run_map(const TileProgram& program, const LaunchArguments& arguments, Stages& stages) {
  if (element_count(arguments.extents) == 0) return;
  const auto& outputs = program.plan.outputs;
  const StoreKind store = outputs[0].store;
  if (goes_by_mask_tiles(store)) return run_mask(program, arguments, stages);
  if (store == StoreKind::partition) return run_partition(program, arguments, stages);
  if (store == StoreKind::sort) return run_sort(program, arguments, stages);
  if (store == StoreKind::tally) return run_tally(program, arguments, stages);
  const bool scatters = std::any_of(outputs.begin(), outputs.end(), [](const OutputSpec& output) {
    return output.store != StoreKind::plain;
  });
  return scatters ? run_scatter(program, arguments, stages)
                  : run_elementwise(program, arguments, stages);
}

void run_plan(const TileProgram& program, const LaunchArguments& arguments, Stages& stages) {
  if (cost_of(program, arguments) <= least_shared_cost()) stages.stay_on_caller();
  switch (program.plan.kind()) {
    case PlanKind::map:
      return run_map(program, arguments, stages);
    case PlanKind::reduce:
      return run_reduce(program, arguments, stages);
    case PlanKind::arg_reduce:
      return run_arg_reduce(program, arguments, stages);
    case PlanKind::scan:
      return run_scan(program, arguments, stages);
    case PlanKind::segment_reduce:
      return run_segments(program, arguments, stages);
    case PlanKind::rows:
      return run_rows(program, arguments, stages);
  }
}

void run_plan(const TileProgram& program, const LaunchArguments& arguments) {
  Stages all;
  run_plan(program, arguments, all);
}

LaunchStages stages_of(const TileProgram& program, const LaunchArguments& arguments) {
  Stages none(Stages::CountOnly{});
  run_plan(program, arguments, none);
  return none.counted();
}

}  // namespace cupola::cpu
