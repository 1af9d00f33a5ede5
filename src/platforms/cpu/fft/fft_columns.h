#pragma once
// Transforms of the columns of matrices, where they lie.

#include "driver/fft_problem.h"
#include "platforms/cpu/fft/fft_plan.h"

namespace cupola::cpu {

// Whether run_columns() takes the problem, and sooner than its transpose is transformed.
bool is_for_columns(const FftProblem& problem);

// Returns when `out` is written. The bits are those of contiguous rows.
template <typename T>
void run_columns(const FftProblem& problem, const FftPlan<T>& plan, const T* in, T* out);

}  // namespace cupola::cpu
