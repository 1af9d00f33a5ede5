#pragma once
// Sums of the products of two vectors, which are bound by memory.

#include <cstdint>

#include "cupola/dtype.h"
#include "platforms/cpu/libraries/blas.h"

namespace cupola::cpu {

// *result = sum of a[i * a_stride] * b[i * b_stride], of float32, float64, complex64 or complex128.
// Strides count elements, are positive and fit the library's integers.
struct DotProduct {
  DType dtype;
  std::int64_t length;
  const char* a;
  std::int64_t a_stride;
  const char* b;
  std::int64_t b_stride;
  char* result;
};

// Long vectors in blocks, which are the same on every machine, on this thread and the pool.
void multiply(const Blas& library, const DotProduct& product);

}  // namespace cupola::cpu
