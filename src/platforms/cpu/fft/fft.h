#pragma once
// Fourier transforms on the CPU.

#include "driver/fft_problem.h"

namespace cupola::cpu {

// Returns when `out` is written. What a length needs is kept for the next time.
void run_fft(const FftProblem& problem);
FftPlanCount fft_plan_count();
void keep_fft_plans(std::size_t most);

}  // namespace cupola::cpu
