#pragma once
// Extents for sample launches, so that between them every way to run a plan is taken.

#include <algorithm>
#include <random>
#include <vector>

#include "codegen/plan.h"

namespace cupola::testing {

// Few elements each: at most some 200,000, or 600,000 of `large` ones. The last ones are random.
inline std::vector<Dims> sample_extents(const KernelPlan& plan, std::mt19937& random,
                                        bool large = false) {
  if (plan.kind() == PlanKind::segment_reduce) {
    return plan.rank == 1 ? std::vector<Dims>{{1}, {37}, {600}}
                          : std::vector<Dims>{{1, 1}, {3, 50}, {70, 9}};
  }
  // Of several elements each would be stored at one place.
  const OutputSpec& output = plan.outputs[0];
  if (plan.kind() == PlanKind::map && output.operand.layout == OperandLayout::broadcast) {
    return {Dims(static_cast<std::size_t>(plan.rank), 1)};
  }
  std::vector<Dims> matrices{{1, 1}, {7, 5}, {3, 1025}, {40, 300}, {130, 67}, {300, 33}};
  if (is_reduction(plan.kind())) {
    // More than one chunk, by rows and by columns.
    matrices.insert(matrices.end(), {{2, 70000}, {64, 2000}, {5, 20000}});
  }
  if (plan.kind() == PlanKind::scan) {
    matrices = {{1, 1}, {7, 5}, {3, 1025}, {40, 70}, {1, 9000}, {5, 9000}, {4200, 40}};
  }
  const bool parts = plan.outputs[0].store == StoreKind::partition;
  if (parts) matrices = {{1, 1}, {7, 5}, {3, 1025}, {2, 9000}, {12, 67}};
  if (parts && large) matrices.push_back({2, 70000});
  if (plan.kind() == PlanKind::rows) matrices.insert(matrices.end(), {{200, 16}, {40, 2500}});
  if (large) matrices.insert(matrices.end(), {{700, 333}, {90, 3000}});
  for (int i = 0; i < 2; ++i) {
    const auto rows = static_cast<std::int64_t>(1 + random() % (parts ? 9 : 90));
    matrices.push_back({rows, static_cast<std::int64_t>(1 + random() % 400)});
  }
  if (plan.outputs[0].store == StoreKind::sort) {
    for (Dims& matrix : matrices) matrix[1] = std::min<std::int64_t>(matrix[1], 2048);
  }
  std::vector<Dims> result;
  for (const Dims& matrix : matrices) {
    if (plan.rank == 1) {
      result.push_back({matrix[0] * matrix[1]});
    } else if (plan.rank == 2) {
      result.push_back(matrix);
    } else if (plan.reduced_rank() == 2) {
      result.push_back({matrix[0], 1, matrix[1]});
    } else {
      result.push_back({2, matrix[0], matrix[1]});
    }
  }
  return result;
}

}  // namespace cupola::testing
