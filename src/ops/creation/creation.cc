#include "cupola/ops/creation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/array_state.h"
#include "cupola/error.h"
#include "cupola/ops/manip.h"
#include "exec/evaluation/deferral.h"
#include "exec/evaluation/evaluator.h"
#include "graph/result_layout.h"
#include "ops/few_elements.h"
#include "ops/operands.h"
#include "ops/support.h"

namespace cupola {

namespace {

Array filled(const Array& target, const Array& value) {
  if (target.size() > 0) write(value, target);
  return target;
}

// Column minus row of every element of the last two dimensions: int64, shape (rows, columns).
Array column_minus_row(std::int64_t rows, std::int64_t columns, const Device& device) {
  return make_ufunc(UfuncId::subtract,
                    {axis_positions(columns, 1, 2, device), axis_positions(rows, 0, 2, device)});
}

Array compare_diagonal(UfuncId comparison, std::int64_t rows, std::int64_t columns, std::int64_t k,
                       const Device& device) {
  return make_ufunc(comparison, {column_minus_row(rows, columns, device),
                                 make_constant(k, DType::int64, device)});
}

void check_matrix_extents(std::int64_t rows, std::int64_t columns) {
  if (rows < 0 || columns < 0) {
    throw ValueError(fmt::format("negative dimensions are not allowed: ({}, {})", rows, columns));
  }
}

// Few elements, at the call. No array: it is for a launch.
Array eye_at_call(std::int64_t rows, std::int64_t columns, std::int64_t k, DType dtype,
                  DeviceOption device, char order) {
  const Scalar zero = Scalar(false).cast(dtype), one = Scalar(true).cast(dtype);
  Array result = full_at_call({rows, columns}, zero, device, order);
  if (!result.has_value()) return {};
  auto* const first = static_cast<char*>(pointer_of(result));
  const std::size_t item = item_size(dtype);
  const std::int64_t right = std::clamp(k, -rows, columns);
  const std::int64_t end = std::min(rows, columns - right);
  for (std::int64_t row = std::max(-right, std::int64_t{0}); row < end; ++row) {
    const std::int64_t place = row * columns + row + right;
    std::memcpy(first + static_cast<std::size_t>(place) * item, one.data(), item);
  }
  return result;
}

// Few elements, at the call, as triangle(). No array: it is for a launch.
Array triangle_at_call(const Array& a, UfuncId comparison, std::int64_t k) {
  if (a.rank() < 2 || a.size() == 0 || !is_there(a)) return {};
  if (!is_c_contiguous(a)) return {};
  Array result = astype_at_call(a, a.dtype(), 'C', true);
  if (!result.has_value()) return {};
  const std::int64_t columns = a.shape().back(), rows = a.shape()[a.shape().size() - 2];
  const std::int64_t diagonal = std::clamp(k, -rows, columns);
  const std::int64_t item = a.item_size(), all_rows = a.size() / columns;
  auto* row = static_cast<char*>(pointer_of(result));
  for (std::int64_t i = 0; i < all_rows; ++i, row += columns * item) {
    const std::int64_t place = i % rows + diagonal;  // the row's column in the diagonal
    const bool is_lower = comparison == UfuncId::less_equal;
    const std::int64_t first = is_lower ? std::clamp(place + 1, std::int64_t{0}, columns) : 0;
    const std::int64_t last = is_lower ? columns : std::clamp(place, std::int64_t{0}, columns);
    std::memset(row + first * item, 0, static_cast<std::size_t>((last - first) * item));
  }
  return result;
}

// Keeps the elements of the last two dimensions for which column - row compares with k.
Array triangle(const Array& a, UfuncId comparison, std::int64_t k) {
  if (a.rank() == 0) throw ValueError("a triangle needs an array of at least one dimension");
  if (Array few = triangle_at_call(a, comparison, k); few.has_value()) return few;
  const std::int64_t columns = a.shape().back();
  const std::int64_t rows = a.rank() == 1 ? columns : a.shape()[a.shape().size() - 2];
  Dims shape = a.shape();
  if (a.rank() == 1) shape.push_back(columns);
  if (element_count(shape) == 0) return zeros(shape, a.dtype(), a.device());
  const Array kept = compare_diagonal(comparison, rows, columns, k, a.device());
  const Array result = make_select(kept, a, make_constant(false, a.dtype(), a.device()));
  // As NumPy's mask is a row-major array, it has a say.
  const Dims strides[] = {broadcast_strides(kept.shape(), c_strides(kept.shape()), shape),
                          broadcast_strides(a.shape(), natural_strides(a), shape)};
  lay_out(result, like_strides(shape, strides));
  return evaluate(result);
}

}  // namespace

Array empty(const Dims& shape, DType dtype, DeviceOption device, char order) {
  if (parse_order(order) == 'A' || order == 'K') {
    throw ValueError("only 'C' or 'F' order is permitted");
  }
  return allocate_array(dtype, shape, device_or_current(device), order);
}

Array zeros(const Dims& shape, DType dtype, DeviceOption device, char order) {
  return full(shape, Scalar::weak(std::int64_t{0}), dtype, device, order);
}

Array ones(const Dims& shape, DType dtype, DeviceOption device, char order) {
  return full(shape, Scalar::weak(std::int64_t{1}), dtype, device, order);
}

Array full(const Dims& shape, const Number& number, std::optional<DType> dtype, DeviceOption device,
           char order) {
  const Scalar& value = number;
  const Scalar converted = value.cast(dtype.value_or(value.dtype()));
  if (Array few = full_at_call(shape, converted, device, order); few.has_value()) return few;
  const Array target = empty(shape, converted.dtype(), device, order);
  return filled(target, make_scalar(converted, shape, target.device()));
}

Array empty_like(const Array& a, std::optional<DType> dtype, char order, std::optional<Dims> shape,
                 DeviceOption device) {
  evaluate(a);
  const DType type = dtype.value_or(a.dtype());
  const Device where = device ? device_or_current(device) : a.device();
  const Dims& extents = shape ? *shape : a.shape();
  if (where == a.device() && extents == a.shape()) return allocate_ordered(type, a, order);
  check_size(type, extents);
  return allocate_strided(type, extents, where, ordered_strides(a, order, extents));
}

Array eye(std::int64_t rows, std::int64_t columns, std::int64_t k, DType dtype, DeviceOption device,
          char order) {
  check_matrix_extents(rows, columns);
  if (Array few = eye_at_call(rows, columns, k, dtype, device, order); few.has_value()) return few;
  const Array target = empty({rows, columns}, dtype, device, order);
  return filled(target, compare_diagonal(UfuncId::equal, rows, columns, k, target.device()));
}

Array tri(std::int64_t rows, std::int64_t columns, std::int64_t k, DType dtype,
          DeviceOption device) {
  check_matrix_extents(rows, columns);
  const Array target = empty({rows, columns}, dtype, device);
  return filled(target, compare_diagonal(UfuncId::less_equal, rows, columns, k, target.device()));
}

Array tril(const Array& a, std::int64_t k) { return triangle(a, UfuncId::less_equal, k); }

Array triu(const Array& a, std::int64_t k) { return triangle(a, UfuncId::greater_equal, k); }

Array diag(const Array& a, std::int64_t k) {
  if (a.rank() == 2) return diagonal(a, k);
  if (a.rank() != 1) {
    throw ValueError("Input must be 1- or 2-d, not of shape " + to_string(a.shape()));
  }
  std::int64_t extent = 0;
  if (k == INT64_MIN || __builtin_add_overflow(a.size(), std::abs(k), &extent)) {
    throw ValueError(fmt::format("diagonal {} is out of range", k));
  }
  const Array matrix = zeros({extent, extent}, a.dtype(), a.device());
  const Array line = diagonal(matrix, k);
  filled(make_view(matrix, line.shape(), line.state().layout), a);
  return matrix;
}

}  // namespace cupola
