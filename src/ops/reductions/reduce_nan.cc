// Reductions that skip NaN and need more than one combination; see cupola/opdefs/reductions.def for
// the others.

#include <limits>

#include "cupola/error.h"
#include "cupola/ops/reduce.h"
#include "exec/evaluation/evaluator.h"
#include "ops/operands.h"
#include "ops/reductions/reduction.h"
#include "ops/support.h"

namespace cupola {

namespace {

// In the memory order of a copy of `a`.
Array zero_where(const Array& condition, const Array& value, const Array& a) {
  const Array zero = make_constant(false, value.dtype(), value.device());
  const Array result = make_select(condition, zero, value);
  lay_out_as_copy(result, a);
  return result;
}

Array count_numbers(const Array& is_nan, const ReducedAxes& axes, const Array& where) {
  const Array numbers = make_ufunc(UfuncId::logical_not, {is_nan});
  return reduce_node(make_cast(numbers, DType::int64), axes, sum_in(DType::int64), where);
}

// With the dimensions of `a`.
Array nan_mean_node(const Array& a, const Array& is_nan, const ReduceOptions& options,
                    DType dtype) {
  const ReducedAxes kept(a.shape(), options.axes, true);
  const Array sum = reduce_node(zero_where(is_nan, a, a), kept, sum_in(dtype), options.where);
  return divide_by_count(sum, count_numbers(is_nan, kept, options.where), dtype);
}

// a - mean, with a's shape and type.
Array deviation_from(const Array& a, const Operand& mean) {
  const Operand operands[] = {a, mean};
  const DType type = result_dtype(operands);
  const Array deviation =
      make_ufunc(UfuncId::subtract, {make_cast(a, type), as_node(mean, type, a.device())});
  if (deviation.shape() != a.shape()) {
    throw ValueError("mean does not broadcast to the array's shape " + to_string(a.shape()));
  }
  return make_cast(deviation, a.dtype());
}

// A pending array of axes.result_shape().
Array nan_variance_node(const Array& a, const ReducedAxes& axes, const ReduceOptions& options,
                        double correction, const std::optional<Operand>& given_mean) {
  const DType dtype = options.dtype.value_or(a.dtype());
  const Array is_nan = make_ufunc(UfuncId::isnan, {a});
  const Array deviation =
      given_mean
          ? deviation_from(a, *given_mean)
          : make_cast(make_ufunc(UfuncId::subtract, {a, nan_mean_node(a, is_nan, options, dtype)}),
                      a.dtype());
  Array squared =
      make_ufunc(UfuncId::multiply, {deviation, make_ufunc(UfuncId::conjugate, {deviation})});
  squared = zero_where(is_nan, make_cast(squared, real_dtype(a.dtype())), a);
  const DType sum_dtype = options.dtype.value_or(real_dtype(a.dtype()));
  const Array total = reduce_node(squared, axes, sum_in(sum_dtype), options.where);
  const Array count = count_numbers(is_nan, axes, options.where);
  const Array freedom = make_ufunc(
      UfuncId::subtract,
      {make_cast(count, DType::float64), make_constant(correction, DType::float64, a.device())});
  const Array variance = divide_by_count(total, freedom, sum_dtype);
  const Array is_bad =
      make_ufunc(UfuncId::less_equal, {freedom, make_constant(0.0, DType::float64, a.device())});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Array result = make_select(is_bad, make_constant(nan, sum_dtype, a.device()), variance);
  lay_out_as(result, total);
  return result;
}

Array nan_arg_reduce(UfuncId combine, double replacement, const Array& a,
                     std::optional<std::int64_t> axis, bool keepdims) {
  const auto reduce = combine == UfuncId::minimum ? argmin : argmax;
  if (!is_inexact(a.dtype()) || a.size() == 0) return reduce(a, axis, keepdims, {});
  ReduceOptions options;
  if (axis) options.axes = Dims{*axis};
  const Array is_nan = make_ufunc(UfuncId::isnan, {a});
  if (read_bool(any(all(is_nan, options)))) throw ValueError("All-NaN slice encountered");
  const Array filled = make_select(is_nan, make_constant(replacement, a.dtype(), a.device()), a);
  return reduce(filled, axis, keepdims, {});
}

// What passes over NaN divides by counts, in a dtype that holds quotients.
void check_inexact(const ReduceOptions& options) {
  if (options.dtype && !is_inexact(*options.dtype)) {
    throw TypeError("If a is inexact, then dtype must be inexact");
  }
  if (options.out.has_value() && !is_inexact(options.out.dtype())) {
    throw TypeError("If a is inexact, then out must be inexact");
  }
}

}  // namespace

Array nan_mean(const Array& a, const ReduceOptions& options) {
  if (!is_inexact(a.dtype())) return mean(a, options);
  check_inexact(options);
  const ReducedAxes axes(a.shape(), options.axes, options.keepdims);
  check_reduction_output(options.out, axes, "add", a.device());
  const DType dtype = options.dtype.value_or(a.dtype());
  const Array is_nan = make_ufunc(UfuncId::isnan, {a});
  const Array sum = reduce_node(zero_where(is_nan, a, a), axes, sum_in(dtype), options.where);
  const Array value = divide_by_count(sum, count_numbers(is_nan, axes, options.where), dtype);
  return finish(value, options.out);
}

Array nan_var(const Array& a, const ReduceOptions& options, double correction,
              const std::optional<Operand>& mean) {
  if (!is_inexact(a.dtype())) return var(a, options, correction, mean);
  check_inexact(options);
  const ReducedAxes axes(a.shape(), options.axes, options.keepdims);
  check_reduction_output(options.out, axes, "add", a.device());
  return finish(nan_variance_node(a, axes, options, correction, mean), options.out);
}

Array nan_std(const Array& a, const ReduceOptions& options, double correction,
              const std::optional<Operand>& mean) {
  if (!is_inexact(a.dtype())) return std(a, options, correction, mean);
  check_inexact(options);
  const ReducedAxes axes(a.shape(), options.axes, options.keepdims);
  check_reduction_output(options.out, axes, "add", a.device());
  const Array variance = nan_variance_node(a, axes, options, correction, mean);
  const Array root = make_cast(make_ufunc(UfuncId::sqrt, {variance}), variance.dtype());
  return finish(root, options.out);
}

Array nan_argmin(const Array& a, std::optional<std::int64_t> axis, bool keepdims) {
  return nan_arg_reduce(UfuncId::minimum, std::numeric_limits<double>::infinity(), a, axis,
                        keepdims);
}

Array nan_argmax(const Array& a, std::optional<std::int64_t> axis, bool keepdims) {
  return nan_arg_reduce(UfuncId::maximum, -std::numeric_limits<double>::infinity(), a, axis,
                        keepdims);
}

}  // namespace cupola
