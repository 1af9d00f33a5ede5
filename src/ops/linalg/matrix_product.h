#pragma once
// A stack of matrix products, whatever the layouts and types.

#include "cupola/ops/elementwise.h"

namespace cupola {

// Of operands with rank 2 and more; leading dimensions broadcast.
struct MatrixShapes {
  // Throws ValueError for stacks that do not broadcast. The inner extents must match.
  MatrixShapes(const Dims& a, const Dims& b);

  Dims batch;
  Dims result;  // batch, m, n
  std::int64_t m, n, k;
};

// Of stored matrices or vectors of one dtype and device, few enough to be multiplied at the call.
// No array: something is to be decided, or waited for, or wrong.
Array product_now(const Array& a, const Array& b);
// The same of so few that it is over before another thread could have the interpreter lock.
Array product_of_few(const Array& a, const Array& b);

// a @ b computed in `dtype`, into `out` (of shapes.result, cast) where there is one. `out` may
// overlap the operands.
Array matrix_product(const Array& a, const Array& b, const MatrixShapes& shapes, DType dtype,
                     const Array& out = {});

// The same without the dimensions `dropped`, which are among the last two and have extent 1: of a
// vector on the right, or on the left. It may be pending.
Array matrix_product_without(const Dims& dropped, const Array& a, const Array& b,
                             const MatrixShapes& shapes, DType dtype);

// Whether products of vectors, and of a vector and a matrix, are reductions on the device, in one
// kernel with what waits around them (docs/dev/decisions/0034-blas-threads.md); else they are
// BLAS's, of operands that are stored.
bool fuses_vector_products(const Device& device);

}  // namespace cupola
