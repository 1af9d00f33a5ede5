#include "cupola/ops/reduce.h"

#include <fmt/format.h>

#include "cupola/error.h"
#include "exec/evaluation/evaluator.h"
#include "exec/host/host_result.h"
#include "ops/reductions/reduction.h"
#include "ops/support.h"

namespace cupola {

namespace {

enum class LeftOut : std::uint8_t { nothing, nan_as_zero, nan_as_one };

Array without_nan(const Array& a, LeftOut left_out) {
  if (left_out == LeftOut::nothing || !is_inexact(a.dtype())) return a;
  const Array replacement = make_constant(left_out == LeftOut::nan_as_one, a.dtype(), a.device());
  const Array replaced = make_select(make_ufunc(UfuncId::isnan, {a}), replacement, a);
  lay_out_as_copy(replaced, a);
  return replaced;
}

// NumPy combines in `out`, where the initial value is cast first.
std::optional<Operand> initial_in(const ReduceOptions& options, const Reduction& reduction) {
  const DType accumulator = reduction.accumulator;
  const bool is_flag = options.out.has_value() && options.out.dtype() == DType::bool_;
  if (is_flag && !options.initial && accumulator != DType::bool_ &&
      ufunc_info(reduction.ufunc).identity == Identity::minus_one) {
    return Scalar(true).cast(accumulator);
  }
  if (!options.initial || !options.out.has_value() || options.out.dtype() == accumulator) {
    return options.initial;
  }
  const Device device = options.out.device();
  return Operand(
      make_cast(initial_node(*options.initial, accumulator, device), options.out.dtype()));
}

// As for an initial value: of what starts from its first element, that is stored in `out` first.
Array started_in(const Array& out, const Array& a, const ReducedAxes& axes,
                 const Reduction& reduction) {
  const Device& device = a.device();
  const Array value = make_cast(a, reduction.input);
  const Array stored = make_cast(make_cast(value, out.dtype()), reduction.input);
  const Array zero = make_constant(std::int64_t{0}, DType::int64, device);
  Array started = stored;
  for (const std::int64_t axis : axes.axes()) {
    const auto place = static_cast<std::size_t>(axis);
    const Array position = axis_positions(a.shape()[place], place, a.shape().size(), device);
    started = make_select(make_ufunc(UfuncId::equal, {position, zero}), started, value);
  }
  return started;
}

bool starts_in_output(const ReduceOptions& options, const ReducedAxes& axes,
                      const Reduction& reduction) {
  return options.out.has_value() && !options.initial && !options.where.has_value() &&
         options.out.dtype() != reduction.input && axes.reduced_count() > 0 &&
         ufunc_info(reduction.ufunc).identity == Identity::none;
}

Array reduce_with(UfuncId ufunc, const Array& a, const ReduceOptions& options, LeftOut left_out) {
  const ReducedAxes axes(a.shape(), options.axes, options.keepdims);
  const Reduction reduction =
      resolve_reduction(ufunc, a.dtype(), options.dtype, options.out, "reduce");
  check_reduction_output(options.out, axes, ufunc_info(ufunc).name, a.device());
  if (left_out == LeftOut::nothing && is_plain(options)) {
    if (Array now = reduce_now(a, axes, reduction); now.has_value()) return now;
  }
  Array elements = without_nan(a, left_out);
  if (starts_in_output(options, axes, reduction)) {
    elements = started_in(options.out, elements, axes, reduction);
  }
  const Array value =
      reduce_node(elements, axes, reduction, options.where, initial_in(options, reduction));
  return finish(value, options.out);
}

Array arg_reduce(UfuncId combine, std::string_view name, const Array& a,
                 std::optional<std::int64_t> axis, bool keepdims, const Array& out) {
  std::optional<Dims> wanted;
  if (axis) wanted = Dims{*axis};
  const ReducedAxes axes(a.shape(), wanted, keepdims);
  if (out.has_value()) check_cast(out.dtype(), DType::int64, Casting::safe);
  check_reduction_output(out, axes, name, a.device());
  if (axes.reduced_count() == 0) {
    throw ValueError(fmt::format("attempt to get {} of an empty sequence", name));
  }
  if (!out.has_value() && !axes.axes().empty()) {
    const Array now = arg_reduce_at_call(combine, a, axes.axes(), axes.result_shape());
    if (now.has_value()) return now;
  }
  const bool trivial = axes.axes().empty() || element_count(axes.result_shape()) == 0;
  const Array value = trivial
                          ? make_scalar(Scalar(std::int64_t{0}), axes.result_shape(), a.device())
                          : make_arg_reduce(a, axes.axes(), combine, axes.keep());
  return finish(value, out);
}

}  // namespace

Array reduce_ufunc(UfuncId ufunc, const Array& a, const ReduceOptions& options) {
  return reduce_with(ufunc, a, options, LeftOut::nothing);
}

#define CUPOLA_REDUCTION(NAME, UFUNC, LEFT_OUT, DOC)                   \
  Array NAME(const Array& a, const ReduceOptions& options) {           \
    return reduce_with(UfuncId::UFUNC, a, options, LeftOut::LEFT_OUT); \
  }
#include "cupola/opdefs/reductions.def"
#undef CUPOLA_REDUCTION

Array count_nonzero(const Array& a, const ReduceOptions& options) {
  ReduceOptions counted = options;
  counted.dtype = DType::int64;
  return reduce_with(UfuncId::add, make_cast(a, DType::bool_), counted, LeftOut::nothing);
}

Array argmin(const Array& a, std::optional<std::int64_t> axis, bool keepdims, const Array& out) {
  return arg_reduce(UfuncId::minimum, "argmin", a, axis, keepdims, out);
}

Array argmax(const Array& a, std::optional<std::int64_t> axis, bool keepdims, const Array& out) {
  return arg_reduce(UfuncId::maximum, "argmax", a, axis, keepdims, out);
}

}  // namespace cupola
