// mean, var and std: NumPy's order of operations in NumPy's types.

#include <algorithm>

#include "cupola/error.h"
#include "cupola/ops/reduce.h"
#include "exec/evaluator.h"
#include "graph/fusion.h"
#include "ops/reduction.h"
#include "ops/support.h"

namespace cupola {

namespace {

bool is_half(DType dtype) { return dtype == DType::float16 || dtype == DType::bfloat16; }

// The type in which moments of `dtype` are taken when none is asked for.
DType moment_dtype(DType dtype) { return is_inexact(dtype) ? dtype : DType::float64; }

Reduction sum_in(DType dtype) {
  return {UfuncId::add, dtype, is_half(dtype) ? DType::float32 : dtype, dtype};
}

// (x - mean)^2, or |x - mean|^2 for complex arrays: a node under the second reduction.
Array squared_deviation(const Array& a, const Array& mean) {
  const Array deviation = make_ufunc(UfuncId::subtract, {a, mean});
  if (!is_complex(a.dtype())) return make_ufunc(UfuncId::square, {deviation});
  const Array squared =
      make_ufunc(UfuncId::multiply, {deviation, make_ufunc(UfuncId::conjugate, {deviation})});
  return make_cast(squared, real_dtype(deviation.dtype()));
}

// Below the deviations, so that it has the dimensions of `a`.
Array mean_with_kept_axes(const Array& a, const ReduceOptions& options, DType dtype) {
  const ReducedAxes axes(a.shape(), options.axes, true);
  const Array sum = reduce_node(a, axes, sum_in(dtype), options.where);
  return divide_by_count(sum, reduced_count_node(a, axes, options.where), dtype);
}

// max(count - correction, 0), float64 unless the correction is whole.
Array degrees_of_freedom(const Array& count, double correction) {
  const Array difference =
      make_ufunc(UfuncId::subtract, {make_cast(count, DType::float64),
                                     make_constant(correction, DType::float64, count.device())});
  return make_ufunc(UfuncId::maximum,
                    {difference, make_constant(0.0, DType::float64, count.device())});
}

// The node over other inputs; no array where its loop would be another one.
Array with_inputs(const Array& a, const Node& node, const std::vector<Array>& inputs) {
  if (node.kind == NodeKind::cast) return make_cast(inputs[0], a.dtype());
  if (node.kind != NodeKind::ufunc || ufunc_info(node.ufunc).output_count != 1) return {};
  std::vector<OperandType> types;
  for (const Array& input : inputs) types.push_back({input.dtype(), std::nullopt});
  const UfuncLoop& loop = resolve_ufunc(node.ufunc, types);
  return loop.output(0) == a.dtype() ? make_ufunc(node.ufunc, loop, inputs).front() : Array();
}

// The elements at position 0 of the axes, which stay with an extent of 1. What is elementwise is
// made of such elements of what it reads.
Array first_along(const Array& a, const Dims& axes, int depth = 4) {
  const NodePointer node = depth > 0 ? node_of(a) : nullptr;
  const auto fits = [&](const Array& input) {
    return input.rank() == a.rank() || input.rank() == 0;
  };
  if (node && std::all_of(node->inputs.begin(), node->inputs.end(), fits)) {
    if (node->kind == NodeKind::scalar) {
      return make_scalar(node->value, with_unit_axes(a.shape(), axes), a.device());
    }
    std::vector<Array> inputs;
    for (const Array& input : node->inputs) {
      inputs.push_back(input.rank() == 0 ? input : first_along(input, axes, depth - 1));
    }
    if (const Array first = with_inputs(a, *node, inputs); first.has_value()) return first;
  }
  evaluate(a);
  return make_view(a, with_unit_axes(a.shape(), axes), a.state().layout);
}

bool is_along_columns(const Array& a, const ReducedAxes& axes) {
  return element_count(axes.result_shape()) >= kFewestColumns &&
         runs_along_columns(find_layouts(a), a.shape(), axes.axes());
}

// The sum of squared distances from the mean, for float32 where neighbours in memory belong to
// different rows, which cannot be kept on chip for a second walk: one pass in float64 over
// distances from each row's first element ("Algorithms for computing the sample variance", Chan,
// Golub and LeVeque, 1983). That is at most sqrt(count) standard deviations from the mean, so the
// result has an error of count * 2^-53 times a small number, where two passes in float32 have 2^-24
// times one.
Array sum_of_squares_around_mean(const Array& a, const ReducedAxes& axes) {
  const Array distance = make_ufunc(
      UfuncId::subtract,
      {make_cast(a, DType::float64), make_cast(first_along(a, axes.axes()), DType::float64)});
  const Array sum = reduce_node(distance, axes, sum_in(DType::float64));
  const Array squares =
      reduce_node(make_ufunc(UfuncId::square, {distance}), axes, sum_in(DType::float64));
  const Array count =
      make_constant(static_cast<double>(axes.reduced_count()), DType::float64, a.device());
  const Array around = make_ufunc(
      UfuncId::subtract,
      {squares, make_ufunc(UfuncId::divide, {make_ufunc(UfuncId::multiply, {sum, sum}), count})});
  return make_ufunc(UfuncId::maximum, {around, make_constant(0.0, DType::float64, a.device())});
}

// 16-bit floats are widened: their moments are computed in float32 and rounded once.
DType working_dtype(DType dtype) { return is_half(dtype) ? DType::float32 : dtype; }

// The variance in the working type: a pending array of axes.result_shape().
Array variance_node(const Array& original, const ReducedAxes& axes, const ReduceOptions& options,
                    double correction, const Array& given_mean) {
  const Array a = make_cast(original, working_dtype(original.dtype()));
  const DType dtype = working_dtype(options.dtype.value_or(moment_dtype(a.dtype())));
  const Array count = reduced_count_node(a, axes, options.where);
  if (dtype == DType::float32 && a.dtype() == dtype && !options.where.has_value() &&
      !given_mean.has_value() && is_along_columns(a, axes)) {
    return divide_by_count(sum_of_squares_around_mean(a, axes),
                           degrees_of_freedom(count, correction), dtype);
  }
  const Array mean = given_mean.has_value() ? given_mean : mean_with_kept_axes(a, options, dtype);
  const Array squared = squared_deviation(a, mean);
  if (squared.shape() != a.shape()) {
    throw ValueError("mean of shape " + to_string(mean.shape()) +
                     " does not broadcast to the array's shape " + to_string(a.shape()));
  }
  const DType sum_dtype =
      working_dtype(options.dtype.value_or(real_dtype(moment_dtype(a.dtype()))));
  const Array sum = reduce_node(squared, axes, sum_in(sum_dtype), options.where);
  return divide_by_count(sum, degrees_of_freedom(count, correction), sum_dtype);
}

// The dtype of var and std.
DType variance_dtype(const Array& a, const ReduceOptions& options) {
  return options.dtype.value_or(real_dtype(moment_dtype(a.dtype())));
}

}  // namespace

Array mean(const Array& a, const ReduceOptions& options) {
  const ReducedAxes axes(a.shape(), options.axes, options.keepdims);
  check_reduction_output(options.out, axes, "add", a.device());
  const DType result = options.dtype.value_or(moment_dtype(a.dtype()));
  const DType dtype = options.dtype ? result : working_dtype(result);
  const Array sum = reduce_node(a, axes, sum_in(dtype), options.where);
  const Array count = reduced_count_node(a, axes, options.where);
  const bool wide = options.out.has_value() && !options.dtype;
  return finish(divide_by_count(sum, count, wide ? dtype : result), options.out);
}

Array var(const Array& a, const ReduceOptions& options, double correction, const Array& mean) {
  const ReducedAxes axes(a.shape(), options.axes, options.keepdims);
  check_reduction_output(options.out, axes, "add", a.device());
  const Array value = variance_node(a, axes, options, correction, mean);
  return finish(make_cast(value, variance_dtype(a, options)), options.out);
}

Array std(const Array& a, const ReduceOptions& options, double correction, const Array& mean) {
  const ReducedAxes axes(a.shape(), options.axes, options.keepdims);
  check_reduction_output(options.out, axes, "add", a.device());
  // The root is written as sqrt with an output does it.
  if (options.out.has_value()) {
    check_cast(variance_dtype(a, options), options.out.dtype(), Casting::same_kind);
  }
  const Array root = make_ufunc(UfuncId::sqrt, {variance_node(a, axes, options, correction, mean)});
  return finish(make_cast(root, variance_dtype(a, options)), options.out);
}

}  // namespace cupola
