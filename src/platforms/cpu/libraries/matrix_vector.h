#pragma once
// Products of a matrix and a vector, which are bound by memory.

#include <cstdint>

#include "cupola/dtype.h"
#include "platforms/cpu/libraries/blas.h"

namespace cupola::cpu {

// result[i * result_stride] = sum of matrix[i * row + j * column] * vector[j * vector_stride], of
// float32, float64, complex64 or complex128. Strides count elements, and are positive; `row` or
// `column` is 1.
struct MatrixVectorProduct {
  DType dtype;
  std::int64_t rows, columns;
  const char* matrix;
  std::int64_t row, column;
  const char* vector;
  std::int64_t vector_stride;
  char* result;
  std::int64_t result_stride;
};

void multiply(const Blas& library, const MatrixVectorProduct& product);

}  // namespace cupola::cpu
