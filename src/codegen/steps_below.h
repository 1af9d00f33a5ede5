#pragma once
// What a value of a plan needs.

#include <vector>

#include "codegen/plan.h"

namespace cupola {

// The steps that `value` is computed from, itself included, in order.
std::vector<int> steps_below(const KernelPlan& plan, int value);

}  // namespace cupola
