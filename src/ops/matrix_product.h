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

// a @ b computed in `dtype`, into `out` (of shapes.result, cast) where there is one. `out` may
// overlap the operands.
Array matrix_product(const Array& a, const Array& b, const MatrixShapes& shapes, DType dtype,
                     const Array& out = {});

}  // namespace cupola
