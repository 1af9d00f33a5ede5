// Factorisations with orthonormal matrices.

#include <algorithm>

#include "cupola/ops/creation.h"
#include "cupola/ops/manip.h"
#include "driver/registry.h"
#include "exec/evaluation/evaluator.h"
#include "graph/result_layout.h"
#include "ops/linalg/factor.h"
#include "ops/operands.h"
#include "ops/support.h"

namespace cupola {

namespace {

Array empty(DType dtype, const Dims& shape, const Array& like) {
  return allocate_array(dtype, shape, like.device());
}

// The first `count` along the dimension before the last one: a view.
Array first_rows(const Array& a, std::int64_t count) {
  return split_at(a, std::vector<std::int64_t>{count}, -2).front();
}

// Of matrices, row by row.
Array identity_matrices(DType dtype, const Dims& shape, const Array& like) {
  return by_rows(identities(dtype, shape, like.device()), dtype);
}

// `value`, lying so.
Array in_order(const Array& value, const Dims& strides) {
  if (value.size() == 0 || natural_strides(value) == strides) return finish(value, {});
  const Array target = allocate_strided(value.dtype(), value.shape(), value.device(), strides);
  write(value, target);
  return target;
}

// Dimensions of matrices in the order of a copy of `a`; that of its transposes.
Dims strides_of_transposes(const Array& a) {
  Dims strides = ordered_strides(evaluate(a), 'K');
  std::swap(strides.end()[-1], strides.end()[-2]);
  return strides;
}

// The upper triangle of what has become of a copy of `a`: as where() of a mask and it lies.
Array upper_triangle(const Array& rows, const Array& a) {
  Dims mask(rows.shape().size(), 0);
  mask.end()[-2] = rows.shape().back();
  mask.end()[-1] = 1;
  const Dims operands[] = {mask, ordered_strides(evaluate(a), 'K')};
  return in_order(triu(rows), like_strides(rows.shape(), operands));
}

struct Extents {
  explicit Extents(const Array& a)
      : stack(stack_of(a)),
        m(a.shape()[a.shape().size() - 2]),
        n(a.shape().back()),
        shorter(std::min(m, n)) {}
  Dims stack;
  std::int64_t m, n, shorter;
};

// `columns` of Q from the reflectors, as rows of the result's transpose.
Array columns_of_q(const Reflectors& reflectors, const Extents& shape, std::int64_t columns) {
  const DType dtype = reflectors.h.dtype();
  const Array q = empty(dtype, stacked(shape.stack, columns, shape.m), reflectors.h);
  write(first_rows(reflectors.h, shape.shorter), first_rows(q, shape.shorter));
  const FactorProblem problem{.kind = Factorisation::q,
                              .dtype = dtype,
                              .rows = shape.m,
                              .columns = columns,
                              .extent = shape.shorter};
  factor(problem, element_count(shape.stack), {.a = q, .values = reflectors.tau});
  return q;
}

// The other triangle may hold anything.
Screened screened_triangle(const Array& a, Triangle triangle) {
  if (driver(a.device()).traits().factors_non_finite) return {a};
  return screened(triangle == Triangle::upper ? triu(a) : tril(a));
}

// The values, and the vectors as rows, or what is left of the matrices.
EigenPairs eigen(const Array& a, Triangle triangle, bool vectors) {
  check_square(a);
  const DType dtype = factored_dtype({a});
  const std::int64_t n = a.shape().back();
  const Screened given = screened_triangle(a, triangle);
  const Array rows = by_columns(given.matrices, dtype);
  const Array values = empty(real_dtype(dtype), stacked(stack_of(a), n), a);
  if (a.size() > 0) {
    const FactorProblem problem{.kind = Factorisation::eigen,
                                .dtype = dtype,
                                .rows = n,
                                .columns = n,
                                .upper = triangle == Triangle::upper,
                                .vectors = vectors};
    const Array info = factor(problem, element_count(stack_of(a)), {.a = rows, .values = values});
    require_factored(info, "Eigenvalues did not converge", given.are_finite);
  }
  return {values, rows};
}

// Of matrices with no fewer rows than columns, by columns: `left` has u's columns as its rows, and
// `right` is vh, by columns.
struct SingularFactors {
  Array left, values, right;
};
SingularFactors singular(const Array& by_columns, const Array& are_finite, bool vectors,
                         bool full_matrices) {
  const Dims stack = stack_of(by_columns);
  const std::int64_t rows = by_columns.shape().back();
  const std::int64_t columns = by_columns.shape()[by_columns.shape().size() - 2];
  const DType dtype = by_columns.dtype();
  const std::int64_t lefts = full_matrices ? rows : columns;
  SingularFactors result;
  result.values = empty(real_dtype(dtype), stacked(stack, columns), by_columns);
  if (vectors) {
    result.left = empty(dtype, stacked(stack, lefts, rows), by_columns);
    result.right = empty(dtype, stacked(stack, columns, columns), by_columns);
  }
  const FactorProblem problem{.kind = Factorisation::singular,
                              .dtype = dtype,
                              .rows = rows,
                              .columns = columns,
                              .extent = vectors ? lefts : 0,
                              .vectors = vectors};
  const Array info =
      factor(problem, element_count(stack),
             {.a = by_columns, .b = result.left, .c = result.right, .values = result.values});
  require_factored(info, "SVD did not converge", are_finite);
  return result;
}

SingularVectors svd_of_nothing(const Extents& shape, DType dtype, const Array& a, bool full) {
  const std::int64_t k = shape.shorter;
  return {identity_matrices(dtype, stacked(shape.stack, shape.m, full ? shape.m : k), a),
          empty(real_dtype(dtype), stacked(shape.stack, k), a),
          identity_matrices(dtype, stacked(shape.stack, full ? shape.n : k, shape.n), a)};
}

// A wide matrix is factored as its transpose, which its rows are by columns.
SingularVectors svd_in(DType dtype, const Array& a, bool vectors, bool full_matrices) {
  const Extents shape(a);
  if (a.size() == 0) return svd_of_nothing(shape, dtype, a, full_matrices);
  const Screened given = screened(a);  // LAPACK, too, may go on for ever where there are infinities
  if (shape.m < shape.n) {
    const SingularFactors of_transpose =
        singular(by_rows(given.matrices, dtype), given.are_finite, vectors, full_matrices);
    return {of_transpose.right, of_transpose.values, of_transpose.left};
  }
  const SingularFactors found =
      singular(by_columns(given.matrices, dtype), given.are_finite, vectors, full_matrices);
  if (!vectors) return {{}, found.values, {}};
  return {by_columns(found.left, dtype), found.values, by_columns(found.right, dtype)};
}

// With the reflectors by columns.
Reflectors reflectors_of(const Array& a) {
  check_matrices(a);
  const DType dtype = factored_dtype({a});
  const Extents shape(a);
  const Array h = by_columns(a, dtype);
  const Array tau = empty(dtype, stacked(shape.stack, shape.shorter), a);
  if (a.size() == 0) return {h, tau};
  const FactorProblem problem{
      .kind = Factorisation::qr, .dtype = dtype, .rows = shape.m, .columns = shape.n};
  factor(problem, element_count(shape.stack), {.a = h, .values = tau});
  return {h, tau};
}

}  // namespace

Reflectors qr_reflectors(const Array& a) {
  const Reflectors found = reflectors_of(a);
  return {in_order(found.h, strides_of_transposes(a)), found.tau};
}

QFactors qr(const Array& a, QrMode mode) {
  const Reflectors reflectors = reflectors_of(a);
  const Extents shape(a);
  const DType dtype = reflectors.h.dtype();
  const std::int64_t columns = mode == QrMode::complete ? shape.m : shape.shorter;
  const Array r = upper_triangle(first_rows(transposed(reflectors.h), columns), a);
  if (mode == QrMode::r) return {{}, r};
  if (a.size() == 0 || columns == 0) {
    return {identity_matrices(dtype, stacked(shape.stack, shape.m, columns), a), r};
  }
  return {by_columns(columns_of_q(reflectors, shape, columns), dtype), r};
}

EigenPairs eigh(const Array& a, Triangle triangle) {
  const auto [values, rows] = eigen(a, triangle, true);
  return {values, by_columns(rows, rows.dtype())};
}

Array eigvalsh(const Array& a, Triangle triangle) { return eigen(a, triangle, false).values; }

SingularVectors svd(const Array& a, bool full_matrices) {
  check_matrices(a);
  return svd_in(factored_dtype({a}), a, true, full_matrices);
}

Array svdvals(const Array& a) {
  check_matrices(a);
  return svd_in(factored_dtype({a}), a, false, false).s;
}

}  // namespace cupola
