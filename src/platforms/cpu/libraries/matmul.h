#pragma once
// Matrix products through BLAS.

#include "codegen/plan.h"

namespace cupola::cpu {

// Throws LibraryError when there is no BLAS library.
void check_matmul();
// Returns when c is written.
void run_matmul(const MatmulProblem& problem);

}  // namespace cupola::cpu
