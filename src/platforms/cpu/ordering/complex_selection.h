#pragma once
// Complex elements of rows by their rank.

#include "driver/select_problem.h"

namespace cupola::cpu {

// Shorter rows are sorted as soon.
std::int64_t shortest_complex_row(DType dtype);

// As run_select(), of complex elements.
void run_complex_select(const SelectProblem& problem);

}  // namespace cupola::cpu
