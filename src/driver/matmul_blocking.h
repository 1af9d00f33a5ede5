#pragma once
// The blocks that matrix products of this process are made of, on any number of devices.

#include "codegen/matmul_blocks.h"

namespace cupola {

// Driver::matmul() of every platform runs these one after the other. CUPOLA_MATMUL_BLOCK_ROWS=n:
// every matrix is worth blocks of n rows, however small, so that small arrays are divided.
// Throws ValueError for a value that is no number from 1 to 2^40.
std::vector<MatmulProblem> matmul_blocks(const MatmulProblem& problem);
bool is_one_block(const MatmulProblem& problem);

}  // namespace cupola
