#include "platforms/cpu/reductions/counting.h"

#include <algorithm>

namespace cupola::cpu {

int find_counted(const KernelPlan& plan, int value) {
  const Step& summed = plan.steps[static_cast<std::size_t>(value)];
  const auto& [ufunc, function, accumulator] = *plan.combine();
  const bool is_count = ufunc == UfuncId::add && function == 0 && is_integer(accumulator) &&
                        item_size(accumulator) == 8 && summed.kind == StepKind::cast;
  if (!is_count) return -1;
  const int counted = summed.args[0];
  return plan.steps[static_cast<std::size_t>(counted)].dtype == DType::bool_ ? counted : -1;
}

std::int64_t count_true(const std::uint8_t* values, std::int64_t count) {
  constexpr std::int64_t kCounters = 64, kMaxCount = 255;  // of what a byte can count
  std::int64_t sum = 0, i = 0;
  while (count - i >= kCounters) {
    std::uint8_t lanes[kCounters] = {};
    const std::int64_t rounds = std::min(kMaxCount, (count - i) / kCounters);
    for (std::int64_t round = 0; round < rounds; ++round, i += kCounters) {
      for (std::int64_t lane = 0; lane < kCounters; ++lane) {
        lanes[lane] = static_cast<std::uint8_t>(lanes[lane] + (values[i + lane] != 0 ? 1 : 0));
      }
    }
    for (const std::uint8_t lane : lanes) sum += lane;
  }
  for (; i < count; ++i) sum += values[i] != 0 ? 1 : 0;
  return sum;
}

}  // namespace cupola::cpu
