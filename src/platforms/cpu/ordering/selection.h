#pragma once
// Elements of rows by their rank.

#include "driver/select_problem.h"

namespace cupola::cpu {

inline constexpr std::int64_t kStepsOfSelection = 8;  // per element, about

// On the calling thread and those of the pool.
void run_select(const SelectProblem& problem);

}  // namespace cupola::cpu
