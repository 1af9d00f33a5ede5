#pragma once
// Products of vectors, matrices and stacks of them. Floating and complex types go through the
// platform's BLAS, batched and strided without copies where it can; integers and bool are exact.
// Errors: ValueError for extents that do not match, naming both shapes.

#include "cupola/ops/elementwise.h"

namespace cupola {

Array matmul(const Array& a, const Array& b, const Array& out = {}, std::optional<DType> dtype = {},
             Casting casting = Casting::same_kind);
Array dot(const Operand& a, const Operand& b, const Array& out = {});
Array vdot(const Array& a, const Array& b);
Array inner(const Operand& a, const Operand& b);
Array outer(const Operand& a, const Operand& b, const Array& out = {});
// axes_a of `a` are summed with axes_b of `b`.
Array tensordot(const Array& a, const Array& b, const Dims& axes_a, const Dims& axes_b);

}  // namespace cupola
