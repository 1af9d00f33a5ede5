// mean, var and std: NumPy's order of operations in NumPy's types.

#include <algorithm>

#include "cupola/error.h"
#include "cupola/ops/reduce.h"
#include "exec/evaluation/deferral.h"
#include "exec/evaluation/evaluator.h"
#include "graph/fusion.h"
#include "ops/elementwise/uniform_operands.h"
#include "ops/operands.h"
#include "ops/reductions/reduction.h"
#include "ops/support.h"

namespace cupola {

namespace {

// The type in which moments of `dtype` are taken when none is asked for.
DType moment_dtype(DType dtype) { return is_inexact(dtype) ? dtype : DType::float64; }

// The square, or of complex arrays that of the magnitude.
Array squared_deviation(const Array& deviation, DType of) {
  const bool is_magnitude = is_complex(deviation.dtype()) && (is_complex(of) || of == DType::bool_);
  if (!is_magnitude) return make_ufunc(UfuncId::square, {deviation});
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

bool reduces_outer(const Array& a, const ReducedAxes& axes) {
  return element_count(axes.result_shape()) >= kFewestColumns &&
         is_outer_reduction(find_layouts(a), a.shape(), axes.axes());
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

// As NumPy divides in place: in the type of the output where there is one, else in that of the sum.
// Sums in integers are whole first.
Array divided(const Array& sum, const Array& count, DType dtype, const Array& out) {
  const DType held = working_dtype(out.has_value() ? out.dtype() : dtype);
  return divide_by_count(is_inexact(held) ? sum : make_cast(sum, held), count, held);
}

// What var() and std() make of their arguments.
struct Variance {
  ReducedAxes axes;
  DType dtype;  // of the result
  Array value;  // pending, in the working type
};

// x - mean as subtract() makes it, 16-bit floats widened.
Array deviation_from(const Array& x, const Operand& mean, DType dtype) {
  return make_ufunc(UfuncId::subtract, {make_cast(x, dtype), as_node(mean, dtype, x.device())});
}

// Around a mean of the caller's, of any shape that broadcasts: what is summed has the shape and the
// type of the deviations.
Variance variance_around(const Array& a, const Operand& mean, const ReduceOptions& options,
                         double correction) {
  const ReducedAxes counted(a.shape(), options.axes, options.keepdims);
  const Operand operands[] = {a, mean};
  const DType type = result_dtype(operands);
  const Array deviation = deviation_from(a, mean, working_dtype(type));
  if (options.where.has_value()) lay_out(deviation);
  const Array squared = squared_deviation(deviation, a.dtype());
  const bool is_whole = !is_inexact(a.dtype());
  const DType own = is_complex(squared.dtype()) ? type : real_dtype(type);
  const DType dtype = options.dtype.value_or(is_whole ? DType::float64 : own);
  const ReducedAxes axes(squared.shape(), options.axes, options.keepdims);
  const Array sum = reduce_node(squared, axes, sum_in(working_dtype(dtype)), options.where);
  const Array count = reduced_count_node(a, counted, options.where);
  return {axes, dtype, divided(sum, degrees_of_freedom(count, correction), dtype, options.out)};
}

Variance variance_of(const Array& original, const ReduceOptions& options, double correction) {
  const ReducedAxes axes(original.shape(), options.axes, options.keepdims);
  const Array a = make_cast(original, working_dtype(original.dtype()));
  const DType result = options.dtype.value_or(real_dtype(moment_dtype(original.dtype())));
  const DType dtype = working_dtype(options.dtype.value_or(moment_dtype(a.dtype())));
  const Array count = reduced_count_node(a, axes, options.where);
  if (dtype == DType::float32 && a.dtype() == dtype && !options.where.has_value() &&
      reduces_outer(a, axes)) {
    return {axes, result,
            divide_by_count(sum_of_squares_around_mean(a, axes),
                            degrees_of_freedom(count, correction), dtype)};
  }
  const Array mean = mean_with_kept_axes(a, options, dtype);
  const Array deviation = make_ufunc(UfuncId::subtract, {a, mean});
  if (options.where.has_value()) lay_out(deviation);
  const Array squared = squared_deviation(deviation, a.dtype());
  const Array sum = reduce_node(squared, axes, sum_in(working_dtype(result)), options.where);
  return {axes, result, divided(sum, degrees_of_freedom(count, correction), result, options.out)};
}

Variance variance(const Array& a, const ReduceOptions& options, double correction,
                  const std::optional<Operand>& mean) {
  const Variance variance =
      mean ? variance_around(a, *mean, options, correction) : variance_of(a, options, correction);
  check_reduction_output(options.out, variance.axes, "add", a.device());
  return variance;
}

// Of few elements, computed at the call. No array: the result is to wait.
Array mean_now(const Array& a, const ReducedAxes& axes, DType dtype, DType result) {
  const Array sum = reduce_now(a, axes, sum_in(dtype));
  if (!sum.has_value()) return {};
  const DType quotient = quotient_dtype(sum.dtype());
  const OperandType types[] = {{quotient, {}}, {quotient, {}}};
  const UfuncLoop& divide = resolve_ufunc(UfuncId::divide, types);
  const Scalar count = Scalar(axes.reduced_count()).cast(quotient);
  const Array numerator = sum.dtype() == quotient ? sum : astype(sum, quotient);
  const Array value = call_with_number(UfuncId::divide, divide, numerator, count, false);
  return value.dtype() == result ? value : astype(value, result);
}

}  // namespace

Array mean(const Array& a, const ReduceOptions& options) {
  const ReducedAxes axes(a.shape(), options.axes, options.keepdims);
  check_reduction_output(options.out, axes, "add", a.device());
  const DType result = options.dtype.value_or(moment_dtype(a.dtype()));
  const DType dtype = options.dtype ? result : working_dtype(result);
  if (is_plain(options)) {
    if (Array now = mean_now(a, axes, dtype, result); now.has_value()) return now;
  }
  const Array sum = reduce_node(a, axes, sum_in(dtype), options.where);
  const Array count = reduced_count_node(a, axes, options.where);
  const Array value = divided(sum, count, result, options.out);
  return finish(options.out.has_value() ? value : make_cast(value, result), options.out);
}

Array var(const Array& a, const ReduceOptions& options, double correction,
          const std::optional<Operand>& mean) {
  const Variance found = variance(a, options, correction, mean);
  return finish(options.out.has_value() ? found.value : make_cast(found.value, found.dtype),
                options.out);
}

Array std(const Array& a, const ReduceOptions& options, double correction,
          const std::optional<Operand>& mean) {
  const Variance found = variance(a, options, correction, mean);
  check_root(found.dtype, options.out, found.axes.result_shape());
  const Array root = make_ufunc(UfuncId::sqrt, {found.value});
  return finish(options.out.has_value() ? root : make_cast(root, found.dtype), options.out);
}

}  // namespace cupola
