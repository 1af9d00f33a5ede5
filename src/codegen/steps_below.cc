#include "codegen/steps_below.h"

#include <cstddef>

namespace cupola {

std::vector<int> steps_below(const KernelPlan& plan, int value) {
  std::vector<bool> needed(plan.steps.size(), false);
  needed[static_cast<std::size_t>(value)] = true;
  for (std::size_t i = plan.steps.size(); i-- > 0;) {
    if (!needed[i]) continue;
    for (const std::int16_t argument : arguments_of(plan, plan.steps[i])) {
      needed[static_cast<std::size_t>(argument)] = true;
    }
  }
  std::vector<int> steps;
  for (std::size_t i = 0; i < needed.size(); ++i) {
    if (needed[i]) steps.push_back(static_cast<int>(i));
  }
  return steps;
}

}  // namespace cupola
