#include "platforms/cpu/adversary/accesses.h"

#include <algorithm>
#include <span>

#include "core/ufunc.h"

namespace cupola::cpu::adversary {
namespace {

// Of elements at sums of index * stride, each index below its extent; from turns on, if there are
// any, below 0.
Range strided_range(const void* pointer, std::size_t item, std::span<const std::int64_t> extents,
                    std::span<const std::int64_t> strides,
                    std::span<const std::int64_t> turns = {}) {
  std::int64_t lowest = 0;
  std::int64_t highest = 0;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    if (extents[d] == 0) return {};
    const std::int64_t turn = d < turns.size() ? turns[d] : 0;
    const std::int64_t reach = ((turn > 0 ? turn : extents[d]) - 1) * strides[d];
    const std::int64_t behind = turn > 0 ? (turn - extents[d]) * strides[d] : 0;
    lowest += std::min({reach, behind, std::int64_t{0}});
    highest += std::max({reach, behind, std::int64_t{0}});
  }
  const auto first = reinterpret_cast<Address>(pointer);
  const auto bytes = static_cast<std::int64_t>(item);
  return {first + static_cast<Address>(lowest * bytes),
          first + static_cast<Address>(highest * bytes) + item};
}

Range range_of_operand(const OperandSpec& spec, const OperandArgument& argument,
                       std::span<const std::int64_t> extents, bool by_segments,
                       std::span<const std::int64_t> turns = {}) {
  const std::size_t item = item_size(spec.dtype);
  if (spec.layout == OperandLayout::indexed) return range_of(argument.pointer, item);
  // Segments say which elements of the last dimension; the first of them is not known here.
  if (by_segments && !extents.empty()) extents = extents.first(extents.size() - 1);
  if (argument.strides.size() < extents.size()) return range_of(argument.pointer, item);
  return strided_range(argument.pointer, item, extents, argument.strides, turns);
}

Range matrix_range(const void* pointer, std::size_t item, const MatmulProblem& problem,
                   const Dims& batch_strides, const Dims& matrix, const Dims& matrix_strides) {
  Dims extents = problem.batch;
  Dims strides = batch_strides;
  for (std::size_t d = 0; d < 2; ++d) {
    extents.push_back(matrix[d]);
    strides.push_back(matrix_strides[d]);
  }
  return strided_range(pointer, item, extents, strides);
}

}  // namespace

Range range_of(const void* pointer, std::size_t bytes) {
  const auto first = reinterpret_cast<Address>(pointer);
  return {first, first + bytes};
}

std::vector<MemoryAccess> accesses_of(const KernelPlan& plan, const LaunchArguments& arguments) {
  std::vector<MemoryAccess> accesses;
  const Dims& extents = arguments.extents;
  if (std::find(extents.begin(), extents.end(), 0) != extents.end()) return accesses;
  const bool by_segments = plan.kind == PlanKind::segment_reduce;
  for (std::size_t i = 0; i < std::min(plan.inputs.size(), arguments.inputs.size()); ++i) {
    std::span<const std::int64_t> turns;
    if (i < arguments.turns.size()) turns = arguments.turns[i];
    accesses.push_back(
        {range_of_operand(plan.inputs[i], arguments.inputs[i], extents, by_segments, turns),
         false});
  }
  for (std::size_t i = 0; i < std::min(plan.outputs.size(), arguments.outputs.size()); ++i) {
    accesses.push_back(
        {range_of_operand(plan.outputs[i].operand, arguments.outputs[i], extents, false), true});
  }
  return accesses;
}

std::vector<MemoryAccess> accesses_of(const MatmulProblem& problem) {
  const std::size_t item = item_size(problem.dtype);
  return {{matrix_range(problem.a, item, problem, problem.a_batch, Dims{problem.m, problem.k},
                        Dims{problem.a_row, problem.a_column}),
           false},
          {matrix_range(problem.b, item, problem, problem.b_batch, Dims{problem.k, problem.n},
                        Dims{problem.b_row, problem.b_column}),
           false},
          {matrix_range(problem.c, item, problem, problem.c_batch, Dims{problem.m, problem.n},
                        Dims{problem.c_row, 1}),
           true}};
}

std::vector<MemoryAccess> accesses_of(const FftProblem& problem) {
  if (problem.columns == problem.pitch) {
    return {{range_of(problem.in, problem.in_bytes()), false},
            {range_of(problem.out, problem.out_bytes()), true}};
  }
  std::vector<MemoryAccess> accesses;
  const auto add_lines = [&](const void* first, std::int64_t row, std::int64_t length,
                             std::int64_t item, bool writes) {
    for (std::int64_t i = 0; i < problem.rows * length; ++i) {
      const std::int64_t at = i / length * row + i % length * problem.pitch;
      const auto bytes = static_cast<std::size_t>(problem.columns * item);
      accesses.push_back({range_of(static_cast<const char*>(first) + at * item, bytes), writes});
    }
  };
  add_lines(problem.in, problem.in_row, problem.in_length(), problem.in_item(), false);
  add_lines(problem.out, problem.out_row, problem.out_length(), problem.out_item(), true);
  return accesses;
}

std::vector<MemoryAccess> accesses_of(const FactorProblem& problem) {
  std::vector<MemoryAccess> accesses;
  if (is_empty(problem)) return accesses;
  for (const FactorOperand& operand : operands_of(problem)) {
    const std::size_t bytes = operand.bytes * static_cast<std::size_t>(problem.count);
    if (bytes == 0) continue;
    accesses.push_back({range_of(problem.*operand.pointer, bytes), operand.is_written});
  }
  return accesses;
}

std::vector<MemoryAccess> accesses_of(const SelectProblem& problem) {
  const std::size_t item = item_size(problem.dtype);
  const auto rows = static_cast<std::size_t>(problem.rows());
  const auto ranks = static_cast<std::size_t>(problem.rank_count);
  if (rows == 0) return {};
  std::vector<MemoryAccess> accesses{
      {strided_range(problem.in, item, problem.extents, problem.strides), false},
      {range_of(problem.ranks, 8 * ranks * (problem.ranks_of_all ? 1 : rows)), false},
      {range_of(problem.out, item * ranks * rows), true}};
  if (problem.parted != nullptr) {
    const auto length = static_cast<std::size_t>(problem.length());
    accesses.push_back({range_of(problem.parted, item * rows * length), true});
  }
  return accesses;
}

std::string describe_plan(const KernelPlan& plan) {
  std::string text;
  for (const Step& step : plan.steps) {
    if (step.kind != StepKind::ufunc && step.kind != StepKind::combine) continue;
    text += text.empty() ? "kernel " : ", ";
    text += ufunc_info(step.ufunc).name;
  }
  if (plan.kind != PlanKind::map && plan.kind != PlanKind::rows) {
    text += text.empty() ? "kernel " : ", ";
    text += "combine by ";
    text += ufunc_info(plan.combine).name;
  }
  return text.empty() ? "kernel copy" : text;
}

}  // namespace cupola::cpu::adversary
