#include "ops/matrix_product.h"

#include <fmt/format.h>

#include "codegen/plan.h"
#include "cupola/error.h"
#include "exec/evaluator.h"
#include "exec/launcher.h"
#include "ops/support.h"

namespace cupola {

namespace {

Dims batch_of(const Dims& shape) { return Dims(std::span(shape.data(), shape.size() - 2)); }

// One operand as BLAS sees it: strides of rows and columns, one of which is 1.
struct MatrixLayout {
  std::int64_t row, column;
};

// Nothing when BLAS cannot read the layout. Extents of 1 take any stride that fits.
std::optional<MatrixLayout> matrix_layout(const Array& a) {
  const std::size_t rank = a.shape().size();
  const std::int64_t rows = a.shape()[rank - 2];
  const std::int64_t columns = a.shape()[rank - 1];
  const std::int64_t row = strides_of(a)[rank - 2];
  const std::int64_t column = strides_of(a)[rank - 1];
  const bool unit_column = column == 1 || columns == 1;
  const bool unit_row = row == 1 || rows == 1;
  if (unit_column && rows == 1) return MatrixLayout{std::max<std::int64_t>(columns, 1), 1};
  if (unit_column && row >= columns) return MatrixLayout{row, 1};
  if (unit_row && columns == 1) return MatrixLayout{1, std::max<std::int64_t>(rows, 1)};
  if (unit_row && column >= rows) return MatrixLayout{1, column};
  return std::nullopt;
}

// The operand stored in `dtype` with a layout that BLAS reads.
Array readable_operand(const Array& a, DType dtype) {
  const Array converted = evaluate(make_cast(a, dtype));
  return matrix_layout(converted) ? converted : copy(converted, 'C');
}

Dims batch_strides(const Array& a, const Dims& batch) {
  return broadcast_strides(batch_of(a.shape()), batch_of(strides_of(a)), batch);
}

// A stack of matrices times one matrix is one product when the rows of the stack are evenly
// spaced: the stack becomes more rows.
bool fold_batch_into_rows(MatmulProblem& problem) {
  if (problem.a_column != 1) return false;
  std::int64_t a_rows = problem.m;
  std::int64_t a_step = problem.a_row * problem.m;
  std::int64_t c_step = problem.c_row * problem.m;
  for (std::size_t i = problem.batch.size(); i-- > 0;) {
    if (problem.batch[i] == 1) continue;
    if (problem.b_batch[i] != 0 || problem.a_batch[i] != a_step || problem.c_batch[i] != c_step) {
      return false;
    }
    a_rows *= problem.batch[i];
    a_step *= problem.batch[i];
    c_step *= problem.batch[i];
  }
  problem.m = a_rows;
  problem.batch = problem.a_batch = problem.b_batch = problem.c_batch = {};
  return true;
}

// Neighbouring batch dimensions that one stride walks in all operands become one.
void merge_batch(MatmulProblem& problem) {
  Dims* const strides[] = {&problem.a_batch, &problem.b_batch, &problem.c_batch};
  for (std::size_t i = problem.batch.size(); i-- > 0;) {
    if (problem.batch[i] == 1) {
      problem.batch.erase(i);
      for (Dims* each : strides) each->erase(i);
    } else if (i + 1 < problem.batch.size()) {
      const std::int64_t extent = problem.batch[i + 1];
      const bool walks = std::all_of(std::begin(strides), std::end(strides), [&](Dims* each) {
        return (*each)[i] == (*each)[i + 1] * extent;
      });
      if (!walks) continue;
      problem.batch[i + 1] *= problem.batch[i];
      problem.batch.erase(i);
      for (Dims* each : strides) each->erase(i);
    }
  }
}

bool can_hold_result(const Array& out, DType dtype, const Array& a, const Array& b) {
  if (!out.has_value() || out.dtype() != dtype) return false;
  const std::optional<MatrixLayout> layout = matrix_layout(out);
  return layout && layout->column == 1 && !overlaps_itself(out.shape(), strides_of(out)) &&
         !may_overlap(out, a) && !may_overlap(out, b);
}

void launch_product(const Array& a, const Array& b, const Array& c, const MatrixShapes& shapes,
                    DType dtype) {
  const MatrixLayout a_layout = *matrix_layout(a);
  const MatrixLayout b_layout = *matrix_layout(b);
  MatmulProblem problem{.dtype = dtype,
                        .m = shapes.m,
                        .n = shapes.n,
                        .k = shapes.k,
                        .a = pointer_of(a),
                        .b = pointer_of(b),
                        .c = pointer_of(c),
                        .a_row = a_layout.row,
                        .a_column = a_layout.column,
                        .b_row = b_layout.row,
                        .b_column = b_layout.column,
                        .c_row = matrix_layout(c)->row,
                        .batch = shapes.batch,
                        .a_batch = batch_strides(a, shapes.batch),
                        .b_batch = batch_strides(b, shapes.batch),
                        .c_batch = batch_strides(c, shapes.batch)};
  if (!fold_batch_into_rows(problem)) merge_batch(problem);
  launch_matmul(problem, a, b, c);
}

Array blas_product(const Array& a, const Array& b, const MatrixShapes& shapes, DType dtype,
                   const Array& out) {
  const Array left = readable_operand(a, dtype);
  const Array right = readable_operand(b, dtype);
  const bool direct = can_hold_result(out, dtype, left, right);
  const Array target = direct ? out : allocate_beside(dtype, shapes.result, left);
  launch_product(left, right, target, shapes, dtype);
  if (!direct && out.has_value()) write(target, out);
  return target;
}

// The stack with an extent-1 dimension put in at `position` from the end.
Array with_unit_dimension(const Array& a, std::size_t from_end) {
  const Array stored = evaluate(a);
  Dims shape = stored.shape();
  Layout layout = stored.state().layout;
  shape.insert(shape.size() - from_end, 1);
  layout.strides.insert(layout.strides.size() - from_end, 1);
  return make_view(stored, std::move(shape), std::move(layout));
}

Array transposed_matrices(const Array& a) {
  const Array stored = evaluate(a);
  Dims shape = stored.shape();
  Layout layout = stored.state().layout;
  const std::size_t rank = shape.size();
  std::swap(shape[rank - 1], shape[rank - 2]);
  std::swap(layout.strides[rank - 1], layout.strides[rank - 2]);
  return make_view(stored, std::move(shape), std::move(layout));
}

// Sum over k of products in the type itself: integers wrap, bool is "any of both".
Array exact_product(const Array& a, const Array& b, DType dtype) {
  const bool logical = dtype == DType::bool_;
  const Array left = make_cast(with_unit_dimension(a, 1), dtype);                        // m 1 k
  const Array right = make_cast(with_unit_dimension(transposed_matrices(b), 2), dtype);  // 1 n k
  const Array products =
      make_ufunc(logical ? UfuncId::logical_and : UfuncId::multiply, {left, right});
  return make_reduce(products, {std::ssize(products.shape()) - 1},
                     logical ? UfuncId::logical_or : UfuncId::add, dtype, dtype);
}

}  // namespace

MatrixShapes::MatrixShapes(const Dims& a, const Dims& b)
    : m(a[a.size() - 2]), n(b.back()), k(a.back()) {
  const Dims batches[] = {batch_of(a), batch_of(b)};
  try {
    batch = broadcast_shapes(batches);
  } catch (const ValueError&) {
    throw ValueError(fmt::format(
        "matmul: operands could not be broadcast together with remapped shapes: the leading "
        "dimensions of {} and {} differ",
        to_string(a), to_string(b)));
  }
  result = batch;
  result.push_back(m);
  result.push_back(n);
}

Array matrix_product(const Array& a, const Array& b, const MatrixShapes& shapes, DType dtype,
                     const Array& out) {
  if (element_count(shapes.result) == 0 || shapes.k == 0) {
    return finish(make_scalar(Scalar(false).cast(dtype), shapes.result, a.device()), out);
  }
  if (is_inexact(dtype)) return blas_product(a, b, shapes, dtype, out);
  return finish(exact_product(a, b, dtype), out);
}

}  // namespace cupola
