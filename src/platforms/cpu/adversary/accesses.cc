#include "platforms/cpu/adversary/accesses.h"

#include <span>

#include "codegen/touched_memory.h"
#include "codegen/user/user_function.h"
#include "core/ufunc.h"

namespace cupola::cpu::adversary {
namespace {

Range whole_range_of(const TouchedMemory& touched) {
  return {reinterpret_cast<Address>(touched.first), reinterpret_cast<Address>(touched.end)};
}

Range strided_range(const void* pointer, std::size_t item, std::span<const std::int64_t> extents,
                    std::span<const std::int64_t> strides) {
  return whole_range_of(touched_strided(pointer, item, extents, strides));
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
  for (const TouchedMemory& touched : touched_by(plan, arguments)) {
    accesses.push_back({whole_range_of(touched), touched.writes});
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
  const auto combining_name = [&](const CombineSpec& combine) -> std::string_view {
    const UserFunction* const function = combining_function(plan, combine.function);
    return function != nullptr ? function->name : ufunc_info(combine.ufunc).name;
  };
  for (const Step& step : plan.steps) {
    const bool combines = step.kind == StepKind::combine;
    if (step.kind != StepKind::ufunc && step.kind != StepKind::user && !combines) continue;
    text += text.empty() ? "kernel " : ", ";
    text += step.kind == StepKind::user ? std::string_view(plan.calls[step.index].function->name)
            : combines                  ? combining_name(combine_of(step))
                                        : ufunc_info(step.ufunc).name;
  }
  if (const CombineSpec* const combine = plan.combine()) {
    text += text.empty() ? "kernel " : ", ";
    text += "combine by ";
    text += combining_name(*combine);
  }
  return text.empty() ? "kernel copy" : text;
}

}  // namespace cupola::cpu::adversary
