#include "ops/linalg/factor.h"

#include <fmt/format.h>

#include <string>

#include "cupola/error.h"
#include "cupola/ops/creation.h"
#include "cupola/ops/manip.h"
#include "exec/evaluation/evaluator.h"
#include "exec/launch/launcher.h"
#include "ops/support.h"

namespace cupola {

DType factored_dtype(std::initializer_list<Array> arrays) {
  bool is_double = false;
  bool has_complex = false;
  for (const Array& array : arrays) {
    const DType dtype = array.dtype();
    if (dtype == DType::float16 || dtype == DType::bfloat16) {
      throw TypeError(fmt::format("array type {} is unsupported in linalg", name_of(dtype)));
    }
    has_complex |= is_complex(dtype);
    is_double |= dtype != DType::float32 && dtype != DType::complex64;
  }
  if (has_complex) return is_double ? DType::complex128 : DType::complex64;
  return is_double ? DType::float64 : DType::float32;
}

void check_matrices(const Array& a) {
  if (a.rank() >= 2) return;
  throw LinAlgError(
      fmt::format("{}-dimensional array given. Array must be at least two-dimensional", a.rank()));
}

void check_square(const Array& a) {
  check_matrices(a);
  const Dims& shape = a.shape();
  if (shape[shape.size() - 1] == shape[shape.size() - 2]) return;
  throw LinAlgError("Last 2 dimensions of the array must be square: the shape is " +
                    to_string(shape));
}

Dims stack_of(const Array& a) { return Dims(std::span(a.shape().data(), a.shape().size() - 2)); }

Dims stacked(const Dims& stack, std::int64_t extent) {
  Dims shape = stack;
  shape.push_back(extent);
  return shape;
}

Dims stacked(const Dims& stack, std::int64_t rows, std::int64_t columns) {
  Dims shape = stack;
  shape.push_back(rows);
  shape.push_back(columns);
  return shape;
}

Array identities(DType dtype, const Dims& shape, const Device& device) {
  const std::size_t rank = shape.size();
  const Array rows = axis_positions(shape[rank - 2], rank - 2, rank, device);
  const Array columns = axis_positions(shape[rank - 1], rank - 1, rank, device);
  const Array ones = make_cast(make_ufunc(UfuncId::equal, {rows, columns}), dtype);
  return broadcast_to(ones, shape);
}

Array by_rows(const Array& a, DType dtype) {
  const Array target = allocate_beside(dtype, a.shape(), a);
  if (target.size() > 0) write(make_cast(a, dtype), target);
  return target;
}

Array by_columns(const Array& a, DType dtype) { return by_rows(transposed(a), dtype); }

Array transposed(const Array& a) { return swapaxes(a, -1, -2); }

Array factor(FactorProblem problem, std::int64_t count, const FactorArrays& arrays) {
  const Array info = allocate_array(DType::int32, {count}, arrays.a.device());
  problem.count = count;
  problem.stack = count;
  const std::pair<const Array*, void**> operands[] = {
      {&arrays.a, &problem.a},           {&arrays.b, &problem.b},           {&arrays.c, &problem.c},
      {&arrays.values, &problem.values}, {&arrays.pivots, &problem.pivots}, {&info, &problem.info}};
  std::vector<Array> used;
  for (const auto& [array, pointer] : operands) {
    if (!array->has_value()) continue;
    *pointer = pointer_of(*array);
    used.push_back(*array);
  }
  launch_factor(problem, used);
  return info;
}

Screened screened(const Array& a) {
  if (a.size() == 0 || !is_inexact(a.dtype())) return {a};
  const std::int64_t rank = a.rank();
  const Array are_finite = make_reduce(make_ufunc(UfuncId::isfinite, {a}), {rank - 2, rank - 1},
                                       UfuncId::logical_and, DType::bool_, DType::bool_);
  const Array each = reshape(are_finite, stacked(stack_of(a), 1, 1));
  return {make_select(each, a, make_constant(false, a.dtype(), a.device())), are_finite};
}

void require_factored(const Array& info, const char* message, const Array& are_finite) {
  if (info.size() == 0) return;
  Array failed = info;
  if (are_finite.has_value()) {
    const Array are_not = make_ufunc(UfuncId::logical_not, {reshape(are_finite, info.shape())});
    failed = make_ufunc(UfuncId::logical_or, {make_cast(info, DType::bool_), are_not});
  }
  if (failed.size() > 1) {
    failed = make_reduce(make_cast(failed, DType::bool_), {0}, UfuncId::logical_or, DType::bool_,
                         DType::bool_);
  }
  if (read_bool(failed)) throw LinAlgError(message);
}

}  // namespace cupola
