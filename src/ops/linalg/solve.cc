// What follows from the factors of Gauss and of Cholesky.

#include <fmt/format.h>

#include <limits>

#include "cupola/error.h"
#include "cupola/ops/creation.h"
#include "cupola/ops/manip.h"
#include "exec/evaluation/evaluator.h"
#include "ops/linalg/factor.h"
#include "ops/operands.h"
#include "ops/support.h"

namespace cupola {

namespace {

Array pivots_of(const Array& factors) {
  Dims shape = factors.shape();
  shape.erase(shape.size() - 1);
  return allocate_array(DType::int64, shape, factors.device());
}

void check_right_sides(const Array& a, const Array& b) {
  const bool is_vector = b.rank() == 1;
  const char* const name = is_vector ? "solve1" : "solve";
  const char* const signature = is_vector ? "(m,m),(m)->(m)" : "(m,m),(m,n)->(m,n)";
  if (b.rank() == 0) {
    throw ValueError(
        fmt::format("{}: Input operand 1 does not have enough dimensions (has 0, gufunc core with "
                    "signature {} requires 2)",
                    name, signature));
  }
  const std::int64_t n = a.shape().back();
  const std::int64_t rows = b.shape()[b.shape().size() - (is_vector ? 1 : 2)];
  if (rows == n) return;
  throw ValueError(fmt::format(
      "{}: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature {} (size "
      "{} is different from {}): shapes {} and {}",
      name, signature, rows, n, to_string(a.shape()), to_string(b.shape())));
}

Dims common_stack(const Array& a, const Array& b) {
  const Dims stacks[] = {stack_of(a), stack_of(b)};
  try {
    return broadcast_shapes(stacks);
  } catch (const ValueError&) {
    throw ValueError(
        fmt::format("solve: operands could not be broadcast together with remapped shapes: the "
                    "leading dimensions of {} and {} differ",
                    to_string(a.shape()), to_string(b.shape())));
  }
}

// What is solved for.
enum class RightSides : std::uint8_t { given, identities };
// Of matrices and columns on one device, which match.
struct Solution {
  Array x;
  Array info;  // absent where there was nothing to do
};
Solution solve_matrices(const Array& a, const Array& b, DType dtype,
                        RightSides sides = RightSides::given) {
  const Dims stack = common_stack(a, b);
  const std::int64_t n = a.shape().back();
  const std::int64_t columns = b.shape().back();
  const bool is_one = element_count(stack_of(a)) == 1;  // its columns are all those of the stack
  const Array left = is_one ? reshape(a, {n, n}) : broadcast_to(a, stacked(stack, n, n));
  const Array factors = by_columns(left, dtype);
  const Array x = by_columns(broadcast_to(b, stacked(stack, n, columns)), dtype);
  Array info;
  if (factors.size() > 0) {
    const FactorProblem problem{.kind = Factorisation::solve,
                                .dtype = dtype,
                                .rows = n,
                                .columns = n,
                                .extent = is_one ? element_count(stack) * columns : columns,
                                .inverts = sides == RightSides::identities};
    info = factor(problem, element_count(stack_of(left)),
                  {.a = factors, .b = x, .pivots = pivots_of(factors)});
  }
  return {columns == 1 ? reshape(x, stacked(stack, n, 1)) : by_columns(x, dtype), info};
}

// With NaN in the matrices of x that belong to one that could not be factored; pending.
Array nan_where_failed(const Array& x, const Array& info) {
  const Dims stack = info.size() == 1 ? Dims{} : stack_of(x);
  const Array failed = make_cast(reshape(info, stacked(stack, 1, 1)), DType::bool_);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  return finish(make_select(failed, make_constant(nan, x.dtype(), x.device()), x), {});
}

Array checked(const Solution& found, OnFailure on_failure) {
  if (!found.info.has_value()) return found.x;
  if (on_failure == OnFailure::nan) return nan_where_failed(found.x, found.info);
  require_factored(found.info, "Singular matrix");
  return found.x;
}

Solution inverses(const Array& a) {
  check_square(a);
  const DType dtype = factored_dtype({a});
  return solve_matrices(a, identities(dtype, a.shape(), a.device()), dtype, RightSides::identities);
}

struct LuFactors {
  Array diagonal;  // of U, in float64 or complex128
  Array negative;  // whether a row was exchanged at this place
  Array failed;    // of each matrix
};

LuFactors factor_lu(const Array& a, DType dtype) {
  const Dims stack = stack_of(a);
  const std::int64_t n = a.shape().back();
  const Array factors = by_columns(a, dtype);
  const Array pivots = pivots_of(factors);
  const FactorProblem problem{.kind = Factorisation::lu, .dtype = dtype, .rows = n, .columns = n};
  const Array info = factor(problem, element_count(stack), {.a = factors, .pivots = pivots});
  const std::size_t rank = pivots.shape().size();
  const Array here = make_ufunc(UfuncId::add, {axis_positions(n, rank - 1, rank, a.device()),
                                               make_constant(1, DType::int64, a.device())});
  const DType wide = is_complex(dtype) ? DType::complex128 : DType::float64;
  return {make_cast(diagonal(factors, 0, -2, -1), wide),
          make_ufunc(UfuncId::not_equal, {pivots, here}),
          make_cast(reshape(info, stack), DType::bool_)};
}

Array over_rows(const Array& a, UfuncId combine) {
  return make_reduce(a, {a.rank() - 1}, combine, a.dtype(), a.dtype());
}

Array negated_where(const Array& condition, const Array& a) {
  return make_select(condition, make_ufunc(UfuncId::negative, {a}), a);
}

// Each element divided by its absolute value.
Array directions(const Array& diagonal, const Array& sizes) {
  const Device& device = diagonal.device();
  if (is_complex(diagonal.dtype())) {
    return make_ufunc(UfuncId::divide, {diagonal, make_cast(sizes, diagonal.dtype())});
  }
  const Array is_negative =
      make_ufunc(UfuncId::less, {diagonal, make_constant(0.0, diagonal.dtype(), device)});
  return make_select(is_negative, make_constant(-1.0, diagonal.dtype(), device),
                     make_constant(1.0, diagonal.dtype(), device));
}

// In float64 and complex128.
SignAndLogarithm sign_and_logarithm(const LuFactors& lu) {
  const Device& device = lu.diagonal.device();
  const Array sizes = make_ufunc(UfuncId::absolute, {lu.diagonal});
  const Array sign =
      over_rows(negated_where(lu.negative, directions(lu.diagonal, sizes)), UfuncId::multiply);
  const Array logarithm = over_rows(make_ufunc(UfuncId::log, {sizes}), UfuncId::add);
  const double least = -std::numeric_limits<double>::infinity();
  return {make_select(lu.failed, make_constant(0.0, sign.dtype(), device), sign),
          make_select(lu.failed, make_constant(least, DType::float64, device), logarithm)};
}

// The product of the diagonal, where none on the way can overflow or vanish.
Array determinant(const LuFactors& lu) {
  constexpr double kMaxOfExponents = 690;  // exp(-690) is normal
  const Device& device = lu.diagonal.device();
  const auto [sign, logarithm] = sign_and_logarithm(lu);
  const Array sizes = make_ufunc(UfuncId::absolute, {lu.diagonal});
  const Array exponents =
      over_rows(make_ufunc(UfuncId::absolute, {make_ufunc(UfuncId::log, {sizes})}), UfuncId::add);
  const Array is_safe = make_ufunc(
      UfuncId::less, {exponents, make_constant(kMaxOfExponents, DType::float64, device)});
  const Array product = over_rows(negated_where(lu.negative, lu.diagonal), UfuncId::multiply);
  const Array size = make_cast(make_ufunc(UfuncId::exp, {logarithm}), sign.dtype());
  return make_select(is_safe, product, make_ufunc(UfuncId::multiply, {sign, size}));
}

// What is to be factored below the diagonal, by columns; zeros on the other side of it. Large ones
// are cleared on the way; of small ones the positions would be two launches more.
Array lower_by_columns(const Array& a, Triangle triangle, DType dtype) {
  constexpr std::int64_t kLarge = std::int64_t{1} << 20;
  const bool is_lower = triangle == Triangle::lower;
  if (a.size() < kLarge) return is_lower ? by_columns(tril(a), dtype) : by_rows(triu(a), dtype);
  const std::size_t rank = a.shape().size();
  const std::int64_t n = a.shape().back();
  const Array kept =
      make_ufunc(UfuncId::less_equal, {axis_positions(n, rank - 2, rank, a.device()),
                                       axis_positions(n, rank - 1, rank, a.device())});
  return by_rows(
      make_select(kept, is_lower ? transposed(a) : a, make_constant(false, a.dtype(), a.device())),
      dtype);
}

}  // namespace

Array solve(const Array& a, const Array& b, OnFailure on_failure) {
  check_square(a);
  const DType dtype = factored_dtype({a, b});
  check_right_sides(a, b);
  const Operand operands[] = {a, b};
  const Device device = operand_device(operands, {});
  const Array left = on_device(a, device);
  const Array right = on_device(b, device);
  if (b.rank() > 1) return checked(solve_matrices(left, right, dtype), on_failure);
  const Solution found = solve_matrices(left, expand_dims(right, {1}), dtype);
  return squeeze(checked(found, on_failure), Dims{-1});
}

Array inv(const Array& a, OnFailure on_failure) { return checked(inverses(a), on_failure); }

Array det(const Array& a) {
  check_square(a);
  const DType dtype = factored_dtype({a});
  if (a.size() == 0)
    return finish(make_scalar(Scalar(1.0).cast(dtype), stack_of(a), a.device()), {});
  return finish(make_cast(determinant(factor_lu(a, dtype)), dtype), {});
}

SignAndLogarithm slogdet(const Array& a) {
  check_square(a);
  const DType dtype = factored_dtype({a});
  const DType real = real_dtype(dtype);
  if (a.size() == 0) {
    return {finish(make_scalar(Scalar(1.0).cast(dtype), stack_of(a), a.device()), {}),
            finish(make_scalar(Scalar(0.0).cast(real), stack_of(a), a.device()), {})};
  }
  const auto [sign, logarithm] = sign_and_logarithm(factor_lu(a, dtype));
  return {finish(make_cast(sign, dtype), {}), finish(make_cast(logarithm, real), {})};
}

// Factors are computed below the diagonal, by columns: on CUDA devices the upper ones take almost
// three times as long. A row-major matrix is its transpose there, so that its upper factor is the
// lower one: u^H u = a is what l l^H is for the conjugated a, whose elements these are. Libraries
// leave the other triangle as it is: it is cleared before.
Array cholesky(const Array& a, Triangle triangle, OnFailure on_failure) {
  check_square(a);
  const DType dtype = factored_dtype({a});
  const bool is_lower = triangle == Triangle::lower;
  if (a.size() == 0) return by_rows(a, dtype);
  const Array factors = lower_by_columns(a, triangle, dtype);
  const std::int64_t n = a.shape().back();
  const FactorProblem problem{
      .kind = Factorisation::cholesky, .dtype = dtype, .rows = n, .columns = n};
  const Array info = factor(problem, element_count(stack_of(a)), {.a = factors});
  const Array result = is_lower ? by_columns(factors, dtype) : factors;
  if (on_failure == OnFailure::nan) return nan_where_failed(result, info);
  require_factored(info, "Matrix is not positive definite");
  return result;
}

}  // namespace cupola
