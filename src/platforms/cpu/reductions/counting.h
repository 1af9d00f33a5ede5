#pragma once
// Sums of booleans, which count those that are true.

#include <cstdint>

#include "codegen/plan.h"

namespace cupola::cpu {

// The booleans of which a sum is how many are true; -1: it is no such sum.
int find_counted(const KernelPlan& plan, int value);

std::int64_t count_true(const std::uint8_t* values, std::int64_t count);

}  // namespace cupola::cpu
