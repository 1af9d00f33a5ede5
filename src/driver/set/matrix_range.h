#pragma once
// Where the operands of a matrix product lie. Pure.

#include <cstddef>
#include <cstdint>

#include "codegen/plan.h"

namespace cupola {

// From the first byte of an operand's matrices to the last.
struct MatrixRange {
  char* data = nullptr;
  std::size_t bytes = 0;
  bool is_dense = false;  // every byte of it is some element's
};

// Of products that are not empty.
MatrixRange range_of_a(const MatmulProblem& problem);
MatrixRange range_of_b(const MatmulProblem& problem);
MatrixRange range_of_c(const MatmulProblem& problem);

}  // namespace cupola
