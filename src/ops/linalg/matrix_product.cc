#include "ops/linalg/matrix_product.h"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

#include "codegen/plan.h"
#include "cupola/error.h"
#include "cupola/ops/manip.h"
#include "driver/registry.h"
#include "exec/evaluation/evaluator.h"
#include "exec/host/host_result.h"
#include "exec/launch/launcher.h"
#include "graph/result_layout.h"
#include "ops/support.h"

namespace cupola {

namespace {

Dims batch_of(const Dims& shape) { return Dims(std::span(shape.data(), shape.size() - 2)); }

// One operand as BLAS sees it: strides of rows and columns, one of which is 1.
struct MatrixLayout {
  std::int64_t row, column;
};

// Nothing when BLAS cannot read the layout. Extents of 1 take any stride that fits.
std::optional<MatrixLayout> matrix_layout(std::int64_t rows, std::int64_t columns, std::int64_t row,
                                          std::int64_t column) {
  const bool unit_column = column == 1 || columns == 1;
  const bool unit_row = row == 1 || rows == 1;
  if (unit_column && rows == 1) return MatrixLayout{std::max<std::int64_t>(columns, 1), 1};
  if (unit_column && row >= columns) return MatrixLayout{row, 1};
  if (unit_row && columns == 1) return MatrixLayout{1, std::max<std::int64_t>(rows, 1)};
  if (unit_row && column >= rows) return MatrixLayout{1, column};
  return std::nullopt;
}

std::optional<MatrixLayout> matrix_layout(const Array& a) {
  const std::size_t rank = a.shape().size();
  return matrix_layout(a.shape()[rank - 2], a.shape()[rank - 1], strides_of(a)[rank - 2],
                       strides_of(a)[rank - 1]);
}

// The operand stored in `dtype` with a layout that BLAS reads.
Array readable_operand(const Array& a, DType dtype) {
  const Array converted = evaluate(make_cast(a, dtype));
  return matrix_layout(converted) ? converted : copy(converted, 'C');
}

Dims batch_strides(const Array& a, const Dims& batch) {
  return broadcast_strides(batch_of(a.shape()), batch_of(strides_of(a)), batch);
}

// Of the result: the stack in the order of the operands' stacks, each matrix row by row.
Dims result_strides(const Array& a, const Array& b, const MatrixShapes& shapes) {
  if (shapes.batch.size() < 2) return c_strides(shapes.result);
  const auto strides = [](const Array& operand) {
    return is_laid_out(operand) ? strides_of(operand) : natural_strides(operand);
  };
  const Dims operands[] = {
      broadcast_strides(batch_of(a.shape()), batch_of(strides(a)), shapes.batch),
      broadcast_strides(batch_of(b.shape()), batch_of(strides(b)), shapes.batch)};
  Dims result = like_strides(shapes.batch, operands);
  for (std::int64_t& step : result) step *= shapes.m * shapes.n;
  result.push_back(shapes.n);
  result.push_back(1);
  return result;
}

// Beside `stored`.
Array allocate_result(const Array& a, const Array& b, const MatrixShapes& shapes, DType dtype,
                      const Array& stored) {
  const Dims strides = result_strides(a, b, shapes);
  if (strides == c_strides(shapes.result)) return allocate_beside(dtype, shapes.result, stored);
  return allocate_strided(dtype, shapes.result, stored.device(), strides, {&stored, 1});
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

// Whether b is the same memory as a, transposed.
bool is_transpose(const MatmulProblem& p) {
  return p.a == p.b && p.m == p.n && p.a_row == p.b_column && p.a_column == p.b_row &&
         p.a_batch == p.b_batch;
}

// A stack of vectors times one matrix is one product, of the matrix of these vectors and the
// transpose.
bool fold_batch_into_columns(MatmulProblem& p) {
  if (p.n != 1 || p.batch.size() != 1 || p.a_batch[0] != 0 || p.b_row != 1 || p.c_row != 1 ||
      p.b_batch[0] < p.k || p.c_batch[0] < p.m) {
    return false;
  }
  std::swap(p.a, p.b);
  p.n = std::exchange(p.m, p.batch[0]);
  p.b_row = std::exchange(p.a_column, 1);
  p.b_column = std::exchange(p.a_row, p.b_batch[0]);
  p.c_row = p.c_batch[0];
  p.batch = p.a_batch = p.b_batch = p.c_batch = {};
  return true;
}

void set_layouts(MatmulProblem& problem, MatrixLayout a, MatrixLayout b) {
  problem.a_row = a.row;
  problem.a_column = a.column;
  problem.b_row = b.row;
  problem.b_column = b.column;
}

void launch_product(const Array& a, const Array& b, const Array& c, const MatrixShapes& shapes,
                    DType dtype) {
  MatmulProblem problem{.dtype = dtype,
                        .m = shapes.m,
                        .n = shapes.n,
                        .k = shapes.k,
                        .a = pointer_of(a),
                        .b = pointer_of(b),
                        .c = pointer_of(c),
                        .c_row = matrix_layout(c)->row,
                        .batch = shapes.batch,
                        .a_batch = batch_strides(a, shapes.batch),
                        .b_batch = batch_strides(b, shapes.batch),
                        .c_batch = batch_strides(c, shapes.batch)};
  set_layouts(problem, *matrix_layout(a), *matrix_layout(b));
  problem.b_is_a_transposed = is_transpose(problem);
  if (!fold_batch_into_rows(problem)) {
    merge_batch(problem);
    fold_batch_into_columns(problem);
  }
  launch_matmul(problem, a, b, c);
}

Array blas_product(const Array& a, const Array& b, const MatrixShapes& shapes, DType dtype,
                   const Array& out) {
  const Array left = readable_operand(a, dtype);
  const Array right = readable_operand(b, dtype);
  const bool direct = can_hold_result(out, dtype, left, right);
  const Array target = direct ? out : allocate_result(a, b, shapes, dtype, left);
  launch_product(left, right, target, shapes, dtype);
  if (!direct && out.has_value()) write(target, out);
  return target;
}

// Libraries have a few blocks of threads sum for a small result, however long the sums are. In
// pieces they keep a whole GPU busy.
constexpr std::int64_t kSmallResult = 2048;  // elements
constexpr std::int64_t kLongSum = std::int64_t{1} << 16;
constexpr std::int64_t kPieces = 512;
constexpr std::int64_t kShortestPiece = 256;

bool is_summed_in_pieces(const MatrixShapes& shapes, DType dtype, const Device& device) {
  const bool half = dtype == DType::float16 || dtype == DType::bfloat16;
  return !half && shapes.batch.empty() && shapes.m * shapes.n <= kSmallResult &&
         shapes.k >= kLongSum && driver(device).compiles_plans();
}

// As matrices of a stack, `count` times `length` elements of one of the two dimensions from `first`
// on; no stack if the count is 1.
Array pieces_of(const Array& operand, std::size_t dimension, std::int64_t first,
                std::int64_t length, std::int64_t count) {
  Dims shape = operand.shape();
  Layout layout = operand.state().layout;
  const std::int64_t stride = layout.strides[dimension];
  shape[dimension] = length;
  layout.offset += first * stride;
  if (count > 1) {
    shape.insert(0, count);
    layout.strides.insert(0, length * stride);
  }
  return make_view(operand, std::move(shape), std::move(layout));
}

// The sum of those of all pieces, and of what remains behind them.
Array product_in_pieces(const Array& a, const Array& b, const MatrixShapes& shapes, DType dtype) {
  const Array left = readable_operand(a, dtype);
  const Array right = readable_operand(b, dtype);
  const auto product = [&](std::int64_t first, std::int64_t length, std::int64_t count) {
    const Array part_of_left = pieces_of(left, 1, first, length, count);
    const Array part_of_right = pieces_of(right, 0, first, length, count);
    const MatrixShapes part(part_of_left.shape(), part_of_right.shape());
    return blas_product(part_of_left, part_of_right, part, dtype, {});
  };
  const std::int64_t length = std::max(shapes.k / kPieces, kShortestPiece);
  const std::int64_t count = shapes.k / length;
  const std::int64_t rest = shapes.k - count * length;
  const Array sum = make_reduce(product(0, length, count), {0}, UfuncId::add, dtype, dtype);
  if (rest == 0) return sum;
  return make_ufunc(UfuncId::add, {sum, product(count * length, rest, 1)});
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

// Sums over k of products of floats in one kernel, with what waits for its operands: a row or a
// column times a matrix, and so whatever moves each element of a matrix once.
Array fused_product(const Array& a, const Array& b, const MatrixShapes& shapes, DType dtype,
                    const Dims& dropped) {
  const bool half = dtype == DType::float16 || dtype == DType::bfloat16;
  const DType type = half ? DType::float32 : dtype;
  const std::int64_t axis = shapes.n == 1 ? -1 : -2;
  const Array left = make_cast(axis == -1 ? a : swapaxes(a, -1, -2), type);
  const Array right = make_cast(axis == -1 ? swapaxes(b, -1, -2) : b, type);
  const Array products = make_ufunc(UfuncId::multiply, {left, right});
  // Extents of 1 may be summed, too: a result that waits is then no view, and part of more kernels.
  const std::int64_t rank = products.rank();
  const Dims axes = dropped.size() == 2 ? Dims{rank - 2, rank - 1} : Dims{rank + axis};
  const KeepAxes keep = dropped.empty() ? KeepAxes::yes : KeepAxes::no;
  return make_reduce(products, axes, UfuncId::add, type, dtype, keep);
}

// One product for each element of the result.
Array outer_product(const Array& a, const Array& b, DType dtype) {
  const Array products = make_ufunc(UfuncId::multiply, {make_cast(a, dtype), make_cast(b, dtype)});
  const Array zero = make_constant(0, dtype, a.device());
  return make_ufunc(UfuncId::add, {products, zero});  // sums begin with it: -0.0 is none
}

// `value` as BLAS's results lie, whatever decides that of other operations.
Array as_product(const Array& value, const Array& a, const Array& b, const MatrixShapes& shapes) {
  const Array stored = evaluate(value);
  const Dims strides = result_strides(a, b, shapes);
  if (shapes.batch.size() < 2 && is_c_contiguous(stored)) return stored;
  if (strides_of(stored) == strides) return stored;
  const Array target =
      allocate_strided(stored.dtype(), stored.shape(), stored.device(), strides, {&stored, 1});
  write(stored, target);
  return target;
}

// The same of what may stay pending.
Array pending_product(const Array& value, const Array& a, const Array& b,
                      const MatrixShapes& shapes) {
  const Dims strides = result_strides(a, b, shapes);
  const Dims natural = natural_strides(value);
  if (natural == strides) return finish(value, {});
  if (shapes.batch.size() < 2 && is_c_contiguous(value.shape(), natural)) return finish(value, {});
  if (value.device().is_set()) return as_product(value, a, b, shapes);
  const Array target = allocate_strided(value.dtype(), value.shape(), value.device(), strides);
  write(value, target);
  return target;
}

// Whether elements that are summed lie closer to one another than those of different sums. Else
// each element of the vector would be read by as many threads as there are sums.
bool sums_neighbours(const Array& matrices, std::size_t summed) {
  const std::size_t other = 2 * matrices.shape().size() - 3 - summed;
  if (matrices.shape()[other] == 1) return true;
  const Dims strides = is_laid_out(matrices) ? strides_of(matrices) : c_strides(matrices.shape());
  return std::abs(strides[summed]) <= std::abs(strides[other]);
}

// Whether a kernel of ours moves as little memory as a library, or less: all elements of matrices
// are read once. Vectors for which one matrix is read again and again are a product of matrices.
bool is_bound_by_memory(const Array& a, const Array& b, const MatrixShapes& shapes) {
  if (shapes.m != 1 && shapes.n != 1) return false;
  const Array& matrices = shapes.n == 1 ? a : b;
  const std::size_t rank = matrices.shape().size();
  return element_count(batch_of(matrices.shape())) == element_count(shapes.batch) &&
         sums_neighbours(matrices, shapes.n == 1 ? rank - 1 : rank - 2);
}

bool is_fused(const Array& a, const Array& b, const MatrixShapes& shapes) {
  return fuses_vector_products(a.device()) && is_bound_by_memory(a, b, shapes);
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

Array product_now(const Array& a, const Array& b) {
  const auto is_plain = [](const Array& x) {
    return is_stored(x) && (x.rank() == 1 || x.rank() == 2) && x.size() > 0;
  };
  const DType dtype = a.dtype();
  if (dtype != b.dtype() || a.device() != b.device() || !is_plain(a) || !is_plain(b)) return {};
  const Dims &left = a.shape(), &right = b.shape();
  const bool is_row = a.rank() == 1, is_column = b.rank() == 1;
  MatmulProblem problem{.dtype = dtype,
                        .m = is_row ? 1 : left[0],
                        .n = is_column ? 1 : right[1],
                        .k = left.back(),
                        .a = pointer_of(a),
                        .b = pointer_of(b)};
  if (problem.k != right[0] || problem.k == 1 || !is_inexact(dtype)) return {};
  problem.c_row = problem.n;
  const Dims &of_a = strides_of(a), &of_b = strides_of(b);
  const auto a_layout =
      matrix_layout(problem.m, problem.k, is_row ? problem.k : of_a[0], of_a.back());
  const auto b_layout =
      matrix_layout(problem.k, problem.n, of_b[0], is_column ? problem.k : of_b[1]);
  if (!a_layout || !b_layout) return {};
  set_layouts(problem, *a_layout, *b_layout);
  problem.b_is_a_transposed = is_transpose(problem);
  Dims shape;
  if (!is_row) shape.push_back(problem.m);
  if (!is_column) shape.push_back(problem.n);
  return product_at_call(problem, a, b, shape);
}

Array product_of_few(const Array& a, const Array& b) {
  constexpr std::int64_t kMost = std::int64_t{1} << 15;  // products of two elements
  if (b.rank() == 0 || a.size() > kMost || b.size() > kMost) return {};
  const std::int64_t columns = b.rank() == 1 ? 1 : b.shape().back();
  return a.size() * columns <= kMost ? product_now(a, b) : Array();
}

Array matrix_product(const Array& a, const Array& b, const MatrixShapes& shapes, DType dtype,
                     const Array& out) {
  if (element_count(shapes.result) == 0 || shapes.k == 0) {
    return finish(make_scalar(Scalar(false).cast(dtype), shapes.result, a.device()), out);
  }
  const bool is_exact = !is_inexact(dtype);
  if (is_exact || shapes.k == 1 || is_fused(a, b, shapes)) {
    const Array value = is_exact        ? exact_product(a, b, dtype)
                        : shapes.k == 1 ? outer_product(a, b, dtype)
                                        : fused_product(a, b, shapes, dtype, {});
    if (out.has_value()) return finish(value, out);
    return is_exact ? pending_product(value, a, b, shapes) : as_product(value, a, b, shapes);
  }
  if (is_summed_in_pieces(shapes, dtype, a.device())) {
    const Array value = product_in_pieces(a, b, shapes, dtype);
    return out.has_value() ? finish(value, out) : as_product(value, a, b, shapes);
  }
  return blas_product(a, b, shapes, dtype, out);
}

Array matrix_product_without(const Dims& dropped, const Array& a, const Array& b,
                             const MatrixShapes& shapes, DType dtype) {
  const bool is_empty = element_count(shapes.result) == 0 || shapes.k == 0;
  if (dropped.empty() || is_empty || shapes.k == 1 || !is_inexact(dtype) ||
      !is_fused(a, b, shapes)) {
    const Array product = matrix_product(a, b, shapes, dtype);
    return dropped.empty() ? product : squeeze(product, dropped);
  }
  const Array product = fused_product(a, b, shapes, dtype, dropped);
  if (shapes.batch.empty()) return finish(product, {});
  const Array stored = evaluate(product);
  return is_c_contiguous(stored) ? stored : copy(stored, 'C');
}

bool fuses_vector_products(const Device& device) { return driver(device).compiles_plans(); }

}  // namespace cupola
