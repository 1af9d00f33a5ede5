// dot, vdot, inner, outer and tensordot, all through matrix products or a fused reduction.

#include <fmt/format.h>

#include <algorithm>

#include "core/array_state.h"
#include "cupola/error.h"
#include "cupola/ops/linalg.h"
#include "cupola/ops/manip.h"
#include "cupola/ops/reduce.h"
#include "exec/evaluation/evaluator.h"
#include "ops/linalg/matrix_product.h"
#include "ops/operands.h"
#include "ops/reductions/reduction.h"
#include "ops/support.h"

namespace cupola {

namespace {

// Operands of products as arrays of their common type on one device. A scalar counts with its own
// dtype, as numpy.dot makes an array of it.
std::pair<Array, Array> common_operands(const Operand& a, const Operand& b) {
  const Operand operands[] = {a, b};
  const Device device = operand_device(operands, {});
  const auto type_of = [](const Operand& operand) {
    return operand.is_array() ? operand.array().dtype() : operand.scalar().dtype();
  };
  const DType dtype = promote_types(type_of(a), type_of(b));
  return {as_node(a, dtype, device), as_node(b, dtype, device)};
}

[[noreturn]] void throw_not_aligned(const Array& a, std::size_t axis_a, const Array& b,
                                    std::size_t axis_b) {
  throw ValueError(fmt::format("shapes {} and {} not aligned: {} (dim {}) != {} (dim {})",
                               to_string(a.shape()), to_string(b.shape()), a.shape()[axis_a],
                               axis_a, b.shape()[axis_b], axis_b));
}

// Sum over all elements of a * b, both of one shape and type: one fused reduction.
Array summed_product(const Array& a, const Array& b) {
  const DType dtype = a.dtype();
  if (dtype == DType::bool_) {
    const Array both = make_ufunc(UfuncId::logical_and, {a, b});
    return reduce_node(both, ReducedAxes(a.shape(), {}),
                       resolve_reduction(UfuncId::logical_or, dtype, {}, {}, "reduce"));
  }
  const bool half = dtype == DType::float16 || dtype == DType::bfloat16;
  const DType type = half ? DType::float32 : dtype;
  const Array products = make_ufunc(UfuncId::multiply, {make_cast(a, type), make_cast(b, type)});
  return make_cast(
      reduce_node(products, ReducedAxes(a.shape(), {}), {UfuncId::add, type, type, type}), dtype);
}

// Of two vectors.
Array vector_product(const Array& a, const Array& b) {
  const bool is_half = a.dtype() == DType::float16 || a.dtype() == DType::bfloat16;
  if (!is_inexact(a.dtype()) || is_half || fuses_vector_products(a.device()) || a.size() == 0) {
    return finish(summed_product(a, b), {});
  }
  const Array row = expand_dims(a, {0});
  const Array column = expand_dims(b, {1});
  const MatrixShapes shapes(row.shape(), column.shape());
  return matrix_product_without({1, 0}, row, column, shapes, a.dtype());
}

std::int64_t product_of(const Dims& shape) { return element_count(shape); }

// `a` with the axes `last` at the end, as a matrix of the others by those.
Array as_matrix(const Array& a, const Dims& first, const Dims& last) {
  Dims order;
  for (const std::int64_t axis : first) order.push_back(axis);
  for (const std::int64_t axis : last) order.push_back(axis);
  const auto count = [&](const Dims& axes) {
    Dims extents;
    for (const std::int64_t axis : axes)
      extents.push_back(a.shape()[static_cast<std::size_t>(axis)]);
    return product_of(extents);
  };
  return reshape(transpose(a, order), {count(first), count(last)});
}

Dims other_axes(int rank, const Dims& axes) {
  Dims others;
  for (int i = 0; i < rank; ++i) {
    if (std::find(axes.begin(), axes.end(), i) == axes.end()) others.push_back(i);
  }
  return others;
}

Array contract(const Array& a, const Array& b, const Dims& axes_a, const Dims& axes_b) {
  const Dims kept_a = other_axes(a.rank(), axes_a);
  const Dims kept_b = other_axes(b.rank(), axes_b);
  Dims shape = without_axes(a.shape(), axes_a);
  for (const std::int64_t extent : without_axes(b.shape(), axes_b)) shape.push_back(extent);
  if (kept_a.empty() && kept_b.empty() && a.rank() == 1) return vector_product(a, b);
  const Array left = as_matrix(a, kept_a, axes_a);
  const Array right = as_matrix(b, axes_b, kept_b);
  Dims dropped;
  if (kept_b.empty()) dropped.push_back(1);
  if (kept_a.empty()) dropped.push_back(0);
  const MatrixShapes shapes(left.shape(), right.shape());
  const Array product = matrix_product_without(dropped, left, right, shapes, a.dtype());
  return product.shape() == shape ? product : reshape(product, shape);
}

void check_dot_output(const Array& out, const Array& result) {
  check_output(out, result.device());
  if (out.dtype() != result.dtype() || out.shape() != result.shape() ||
      !is_c_contiguous(evaluate(out))) {
    throw ValueError(
        fmt::format("output array is not acceptable (must have the right datatype, number of "
                    "dimensions, and be a C-Array): {} of {} instead of {} of {}",
                    to_string(out.shape()), name_of(out.dtype()), to_string(result.shape()),
                    name_of(result.dtype())));
  }
}

Array delivered(const Array& result, const Array& out) {
  if (!out.has_value()) return result;
  check_dot_output(out, result);
  write(result, out);
  return out;
}

// NumPy leaves vectors and matrices of BLAS's types to BLAS, which stores row by row, and others to
// multiply().
Array product_with_number(const Operand& a, const Operand& b, const Array& out) {
  const auto [left, right] = common_operands(a, b);
  if (a.is_array()) lay_out_as_copy(left, a.array());
  if (b.is_array()) lay_out_as_copy(right, b.array());
  const Operand operands[] = {left, right};
  const DType dtype = left.dtype();
  UfuncOptions options;
  if (is_inexact(dtype) && dtype != DType::float16 && dtype != DType::bfloat16 &&
      std::max(left.rank(), right.rank()) <= 2) {
    options.order = 'C';
    return delivered(call_ufunc(UfuncId::multiply, operands, options).front(), out);
  }
  if (out.has_value()) options.out = {out};
  return call_ufunc(UfuncId::multiply, operands, options).front();
}

}  // namespace

Array dot(const Operand& a, const Operand& b, const Array& out) {
  const auto [left, right] = common_operands(a, b);
  if (left.rank() == 0 || right.rank() == 0) return product_with_number(a, b, out);
  if (!out.has_value()) {
    if (Array now = product_now(left, right); now.has_value()) return now;
  }
  const auto axis_a = left.shape().size() - 1;
  const auto axis_b = right.shape().size() >= 2 ? right.shape().size() - 2 : 0;
  if (left.shape()[axis_a] != right.shape()[axis_b]) {
    throw_not_aligned(left, axis_a, right, axis_b);
  }
  return delivered(contract(left, right, {static_cast<std::int64_t>(axis_a)},
                            {static_cast<std::int64_t>(axis_b)}),
                   out);
}

Array vdot(const Array& a, const Array& b) {
  const auto [left, right] = common_operands(a, b);
  const Array x = ravel(left);
  const Array y = ravel(right);
  if (x.size() != y.size()) {
    throw ValueError(fmt::format("vdot: shapes {} and {} have {} and {} elements",
                                 to_string(a.shape()), to_string(b.shape()), x.size(), y.size()));
  }
  if (!is_complex(x.dtype())) return vector_product(x, y);
  return finish(summed_product(make_ufunc(UfuncId::conjugate, {x}), y), {});
}

Array inner(const Operand& a, const Operand& b) {
  const auto [left, right] = common_operands(a, b);
  if (left.rank() == 0 || right.rank() == 0) return product_with_number(a, b, {});
  const auto axis_a = left.shape().size() - 1;
  const auto axis_b = right.shape().size() - 1;
  if (left.shape()[axis_a] != right.shape()[axis_b]) {
    throw_not_aligned(left, axis_a, right, axis_b);
  }
  return contract(left, right, {static_cast<std::int64_t>(axis_a)},
                  {static_cast<std::int64_t>(axis_b)});
}

Array outer(const Operand& a, const Operand& b, const Array& out) {
  const Operand operands[] = {a, b};
  const Device device = operand_device(operands, {});
  const auto line = [&](const Operand& operand) {
    return ravel(operand.is_array() ? operand.array()
                                    : as_node(operand, operand.scalar().dtype(), device));
  };
  UfuncOptions options;
  if (out.has_value()) options.out = {out};
  return outer_ufunc(UfuncId::multiply, line(a), line(b), options);
}

Array tensordot(const Array& a, const Array& b, const Dims& axes_a, const Dims& axes_b) {
  const Dims summed_a = normalize_axes(axes_a, a.rank());
  const Dims summed_b = normalize_axes(axes_b, b.rank());
  bool fits = summed_a.size() == summed_b.size();
  for (std::size_t i = 0; fits && i < summed_a.size(); ++i) {
    fits = a.shape()[static_cast<std::size_t>(summed_a[i])] ==
           b.shape()[static_cast<std::size_t>(summed_b[i])];
  }
  if (!fits) {
    throw ValueError(fmt::format("shape-mismatch for sum: axes {} of {} and axes {} of {}",
                                 to_string(axes_a), to_string(a.shape()), to_string(axes_b),
                                 to_string(b.shape())));
  }
  const auto [left, right] = common_operands(a, b);
  return contract(left, right, summed_a, summed_b);
}

}  // namespace cupola
