#pragma once
// Factorisations by LAPACK.

#include "driver/factor_problem.h"

namespace cupola::cpu {

// Throws LibraryError where there is no LAPACK, and ValueError for matrices that it has no numbers
// for.
void check_factor(const FactorProblem& problem);
// On the calling thread and, where there are many small matrices, on those of the pool.
void run_factor(const FactorProblem& problem);

}  // namespace cupola::cpu
