// Eigenvalues and eigenvectors of matrices that need not be Hermitian.

#include "cupola/error.h"
#include "cupola/ops/functions.h"
#include "cupola/ops/manip.h"
#include "cupola/ops/reduce.h"
#include "exec/evaluation/evaluator.h"
#include "ops/linalg/factor.h"
#include "ops/support.h"

namespace cupola {

namespace {

void require_finite(const Array& a) {
  if (a.size() == 0 || is_integer(a.dtype()) || a.dtype() == DType::bool_) return;
  if (!read_bool(all(isfinite(a)))) {
    throw LinAlgError("Array must not contain infs or NaNs");
  }
}

// The values, and what the library leaves of the vectors: each a row.
EigenPairs eigen(const Array& a, bool vectors) {
  check_square(a);
  require_finite(a);
  const DType dtype = factored_dtype({a});
  const std::int64_t n = a.shape().back();
  const Dims stack = stack_of(a);
  const Array values = allocate_array(complex_dtype(dtype), stacked(stack, n), a.device());
  const Array rows = vectors ? allocate_array(dtype, stacked(stack, n, n), a.device()) : Array();
  if (a.size() == 0) return {values, rows};
  const FactorProblem problem{
      .kind = Factorisation::general, .dtype = dtype, .rows = n, .columns = n, .vectors = vectors};
  const Array info = factor(problem, element_count(stack),
                            {.a = by_columns(a, dtype), .b = rows, .values = values});
  require_factored(info, "Eigenvalues did not converge");
  return {values, rows};
}

// Of real matrices: a pair of rows is the real and the imaginary part of two conjugate vectors.
Array joined_pairs(const Array& values, const Array& rows) {
  const Array parts = expand_dims(imag(values), {-1});
  const Array is_second = less(parts, 0);
  const Array before = roll(rows, {1}, Dims{-2});
  const Array behind = roll(rows, {-1}, Dims{-2});
  const Array vectors = allocate_array(complex_dtype(rows.dtype()), rows.shape(), rows.device());
  write(transposed(where(is_second, before, rows)), real(vectors));
  const Array imaginary = where(greater(parts, 0), behind, where(is_second, negative(rows), 0));
  write(make_cast(transposed(imaginary), rows.dtype()), imag(vectors));
  return vectors;
}

}  // namespace

EigenPairs eig(const Array& a) {
  const auto [values, rows] = eigen(a, true);
  if (is_complex(rows.dtype()) || rows.size() == 0) {
    return {values, by_columns(rows, values.dtype())};
  }
  return {values, joined_pairs(values, rows)};
}

Array eigvals(const Array& a) { return eigen(a, false).values; }

}  // namespace cupola
