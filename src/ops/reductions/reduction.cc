#include "ops/reductions/reduction.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "core/logical_ufuncs.h"
#include "cupola/error.h"
#include "cupola/ops/index.h"
#include "cupola/ops/manip.h"
#include "cupola/ops/reduce.h"
#include "exec/evaluation/deferral.h"
#include "exec/evaluation/evaluator.h"
#include "exec/host/host_result.h"
#include "graph/result_layout.h"
#include "ops/operands.h"
#include "ops/support.h"

namespace cupola {

namespace {

bool is_sum_or_product(UfuncId ufunc) {
  return ufunc == UfuncId::add || ufunc == UfuncId::multiply;
}

// The default type of sums: at least 64 bits for bool and integers.
DType widened(DType dtype) {
  switch (kind_of(dtype)) {
    case DTypeKind::boolean:
    case DTypeKind::signed_integer:
      return DType::int64;
    case DTypeKind::unsigned_integer:
      return DType::uint64;
    case DTypeKind::floating:
    case DTypeKind::complex:
      return dtype;
  }
  return dtype;
}

std::optional<Array> identity_node(UfuncId ufunc, DType dtype, const Device& device) {
  switch (ufunc_info(ufunc).identity) {
    case Identity::none:
      return std::nullopt;
    case Identity::zero:
    case Identity::false_:
      return make_constant(false, dtype, device);
    case Identity::one:
    case Identity::true_:
      return make_constant(true, dtype, device);
    case Identity::minus_one:
      return make_constant(std::int64_t{-1}, dtype, device);
    case Identity::minus_infinity:
      return make_constant(-std::numeric_limits<double>::infinity(), dtype, device);
  }
  return std::nullopt;
}

// x with op(a, x) == a for ufuncs that are not commutative.
std::optional<Array> right_identity(UfuncId ufunc, DType dtype, const Device& device) {
  switch (ufunc) {
    case UfuncId::subtract:
    case UfuncId::left_shift:
    case UfuncId::right_shift:
      return make_constant(false, dtype, device);
    case UfuncId::floor_divide:
      if (is_inexact(dtype)) return std::nullopt;  // it rounds
      return make_constant(true, dtype, device);
    case UfuncId::divide:
    case UfuncId::power:
    case UfuncId::float_power:
      return make_constant(true, dtype, device);
    default:
      return std::nullopt;
  }
}

void check_where(const Array& where, const Dims& shape) {
  if (where.dtype() != DType::bool_) check_cast(where.dtype(), DType::bool_, Casting::safe);
  const Dims shapes[] = {shape, where.shape()};
  if (where.rank() > shape.rank() || broadcast_shapes(shapes) != shape) {
    throw ValueError(
        fmt::format("operands could not be broadcast together: where has shape {}, "
                    "the array has shape {}",
                    to_string(where.shape()), to_string(shape)));
  }
}

bool is_negative_zero(const Operand& operand) {
  if (operand.is_array() || is_complex(operand.scalar().dtype())) return false;
  const double number = operand.scalar().cast(DType::float64).get<double>();
  return number == 0 && std::signbit(number);
}

// Of floating numbers along the axes: sums start from 0.0, which gives no -0.0.
Array all_negative_zero(const Array& value, const ReducedAxes& axes) {
  const Array zero = make_constant(0.0, value.dtype(), value.device());
  const Array is_one = make_ufunc(
      UfuncId::logical_and,
      {make_ufunc(UfuncId::signbit, {value}), make_ufunc(UfuncId::equal, {value, zero})});
  return make_reduce(is_one, axes.axes(), UfuncId::logical_and, DType::bool_, DType::bool_,
                     axes.keep());
}

// The elements, with those that `where` leaves out replaced by what does not change the result.
Array masked_elements(const Array& value, const Reduction& reduction, const Array& where,
                      const std::optional<Array>& initial, bool keeps_negative_zero) {
  check_where(where, value.shape());
  const UfuncInfo& info = ufunc_info(reduction.ufunc);
  std::optional<Array> neutral = identity_node(reduction.ufunc, value.dtype(), value.device());
  if (!neutral && !initial) {
    throw ValueError(
        fmt::format("reduction operation '{}' does not have an identity, so to use a "
                    "where mask one has to specify 'initial'",
                    info.name));
  }
  if (initial && keeps_negative_zero) neutral = initial;
  if (!neutral && info.reorderable) neutral = make_cast(*initial, value.dtype());
  if (!neutral) neutral = right_identity(reduction.ufunc, value.dtype(), value.device());
  if (!neutral) {
    throw ValueError(
        fmt::format("reduction operation '{}' cannot leave elements out: where= needs a ufunc "
                    "with an element that changes nothing",
                    info.name));
  }
  return make_select(where, value, *neutral);
}

// Whether `where` has to be asked at each step: the order counts, and no element changes nothing.
bool folds_kept_ones(const Reduction& reduction, const ReducedAxes& axes, const Device& device) {
  return axes.axes().size() <= 1 && !ufunc_info(reduction.ufunc).reorderable &&
         !identity_node(reduction.ufunc, reduction.accumulator, device) &&
         !right_identity(reduction.ufunc, reduction.accumulator, device);
}

// op(...op(initial, first)..., last) of the elements that `where` keeps.
Array fold_kept_ones(const Array& value, const ReducedAxes& axes, const Reduction& reduction,
                     const Array& where, const Array& initial) {
  check_where(where, value.shape());
  if (axes.axes().empty()) {
    const Array all =
        make_cast(make_ufunc(reduction.ufunc, {initial, value}), reduction.accumulator);
    return make_cast(make_select(make_cast(where, DType::bool_), all, initial), reduction.result);
  }
  const std::int64_t axis = axes.axes()[0];
  std::vector<std::int64_t> places;
  for (std::int64_t i = 1; i < axes.reduced_count(); ++i) places.push_back(i);
  const std::vector<Array> elements = split_at(evaluate(value), places, axis);
  const Array kept = broadcast_to(evaluate(make_cast(where, DType::bool_)), value.shape());
  const std::vector<Array> masks = split_at(kept, places, axis);
  Array result = initial;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const Array next = make_ufunc(reduction.ufunc, {result, elements[i]});
    result = evaluate(make_select(masks[i], make_cast(next, reduction.accumulator), result));
  }
  return make_cast(reshape(result, axes.result_shape()), reduction.result);
}

// op(initial, first element) in place of the first element along the only reduced axis.
Array fold_into_first(const Array& value, const ReducedAxes& axes, const Reduction& reduction,
                      const Array& initial) {
  const auto axis = static_cast<std::size_t>(axes.axes()[0]);
  const Array position =
      axis_positions(value.shape()[axis], axis, value.shape().size(), value.device());
  const Array is_first = make_ufunc(
      UfuncId::equal, {position, make_constant(std::int64_t{0}, DType::int64, value.device())});
  const Array folded =
      make_cast(make_ufunc(reduction.ufunc, {initial, value}), reduction.accumulator);
  return make_select(is_first, folded, value);
}

// What power() raises to: all elements that are kept, but the first where nothing is before it.
Array exponents_of(const Array& value, const ReducedAxes& axes, const Array& where,
                   bool has_initial) {
  const Array elements = evaluate(value);
  if (axes.axes().empty()) return make_view(elements, {0}, {{0}, 0});
  if (where.has_value()) {
    check_where(where, value.shape());
    return get_index(elements,
                     {broadcast_to(evaluate(make_cast(where, DType::bool_)), value.shape())});
  }
  const std::int64_t second = has_initial ? 0 : 1;
  return split_at(elements, {&second, 1}, axes.axes()[0])[1];
}

Array empty_reduction(const ReducedAxes& axes, const Reduction& reduction, const Device& device,
                      const std::optional<Array>& initial) {
  std::optional<Array> start = initial;
  if (!start) start = identity_node(reduction.ufunc, reduction.accumulator, device);
  if (!start && axes.reduced_count() == 0) {
    throw ValueError(fmt::format("zero-size array to reduction operation {} which has no identity",
                                 ufunc_info(reduction.ufunc).name));
  }
  if (!start) start = make_constant(false, reduction.accumulator, device);
  const Array everywhere = make_scalar(Scalar(false), axes.result_shape(), device);
  return make_cast(make_select(everywhere, *start, *start), reduction.result);
}

// The loop whose inputs and output are all of this type; null where there is none.
const UfuncLoop* loop_of(const UfuncInfo& info, DType type) {
  for (const UfuncLoop& loop : info.loops) {
    if (loop.input(0) == type && loop.input(1) == type && loop.output(0) == type) return &loop;
  }
  return nullptr;
}

// Whether every loop gives a boolean, as those of comparisons do.
bool gives_booleans(const UfuncInfo& info) {
  return std::all_of(info.loops.begin(), info.loops.end(),
                     [](const UfuncLoop& loop) { return loop.output(0) == DType::bool_; });
}

}  // namespace

Array initial_node(const Operand& initial, DType dtype, const Device& device) {
  if (initial.is_array() && initial.array().rank() != 0) {
    throw ValueError("setting an array element with a sequence: initial has shape " +
                     to_string(initial.array().shape()) + ", a scalar is needed");
  }
  if (initial.is_array()) return as_node(initial, dtype, device);
  return make_scalar(element_value(initial.scalar(), dtype), {}, device);
}

void check_combines(UfuncId ufunc, std::string_view method) {
  const UfuncInfo& info = ufunc_info(ufunc);
  if (info.input_count != 2) {
    throw ValueError(fmt::format("{} only supported for binary functions", method));
  }
  if (info.output_count != 1) {
    throw ValueError(
        fmt::format("{} only supported for functions returning a single value", method));
  }
}

Reduction resolve_reduction(UfuncId ufunc, DType input, std::optional<DType> dtype,
                            const Array& out, std::string_view method) {
  const UfuncInfo& info = ufunc_info(ufunc);
  check_combines(ufunc, method);
  if (is_logical(ufunc)) {
    if (dtype.value_or(DType::bool_) != DType::bool_) {
      throw TypeError(
          fmt::format("No loop matching the specified signature and casting was found "
                      "for ufunc {}: its result is bool, not {}",
                      info.name, name_of(*dtype)));
    }
    return {ufunc, DType::bool_, DType::bool_, DType::bool_};
  }
  // Comparisons are cast to the output's dtype when they are done.
  const bool by_output = out.has_value() && !gives_booleans(info);
  OperandType first{by_output ? out.dtype() : input, std::nullopt};
  OperandType second{input, std::nullopt};
  if (!dtype && !out.has_value() && is_sum_or_product(ufunc)) {
    first.dtype = second.dtype = widened(input);
  }
  const OperandType types[] = {first, second};
  const UfuncLoop* uniform = dtype ? loop_of(info, *dtype) : nullptr;
  const UfuncLoop& loop = uniform ? *uniform : resolve_ufunc(ufunc, types, dtype, Casting::unsafe_);
  if (loop.input(0) != loop.output(0) || loop.input(1) != loop.output(0)) {
    throw TypeError(
        fmt::format("No loop matching the specified signature and casting was found "
                    "for ufunc {}: {} of {} needs equal input and output types",
                    info.name, method, name_of(input)));
  }
  const DType type = loop.output(0);
  // NumPy rounds each prefix of a float16 scan.
  const bool rounds_each = method == "accumulate" && type == DType::float16;
  const bool widen = is_half(type) && is_sum_or_product(ufunc) && !rounds_each;
  return {ufunc, type, widen ? DType::float32 : type, type};
}

ReducedAxes::ReducedAxes(const Dims& shape, const std::optional<Dims>& axes, bool keepdims)
    : keep_(keepdims ? KeepAxes::yes : KeepAxes::no) {
  if (!axes) {
    for (int i = 0; i < shape.rank(); ++i) axes_.push_back(i);
  } else if (shape.empty() && axes->size() == 1 && ((*axes)[0] == 0 || (*axes)[0] == -1)) {
    axes_ = {};
  } else {
    for (const std::int64_t axis : *axes) axes_.push_back(normalize_axis(axis, shape.rank()));
    std::sort(axes_.begin(), axes_.end());
    if (std::adjacent_find(axes_.begin(), axes_.end()) != axes_.end()) {
      throw ValueError("duplicate value in 'axis': " + to_string(*axes));
    }
  }
  for (const std::int64_t axis : axes_) reduced_count_ *= shape[static_cast<std::size_t>(axis)];
  result_shape_ = keepdims ? with_unit_axes(shape, axes_) : without_axes(shape, axes_);
}

bool identity_changes_elements(UfuncId ufunc) {
  return ufunc == UfuncId::gcd || ufunc == UfuncId::hypot;
}

Array reduce_node(const Array& input, const ReducedAxes& axes, const Reduction& reduction,
                  const Array& where, const std::optional<Operand>& initial_operand) {
  const UfuncInfo& info = ufunc_info(reduction.ufunc);
  const Device device = input.device();
  if (!info.reorderable && axes.axes().size() > 1) {
    throw ValueError(
        fmt::format("reduction operation '{}' is not reorderable, so at most one "
                    "axis may be specified",
                    info.name));
  }
  std::optional<Array> initial;
  if (initial_operand) initial = initial_node(*initial_operand, reduction.accumulator, device);
  const bool keeps_negative_zero = initial_operand && reduction.ufunc == UfuncId::add &&
                                   kind_of(reduction.accumulator) == DTypeKind::floating &&
                                   is_negative_zero(*initial_operand);
  Array value = make_cast(make_cast(input, reduction.input), reduction.accumulator);
  if (raises_integers(reduction)) {
    check_exponents(exponents_of(value, axes, where, initial.has_value()));
  }
  const bool is_empty = axes.reduced_count() == 0 || element_count(axes.result_shape()) == 0;
  if (where.has_value() && initial && !is_empty && folds_kept_ones(reduction, axes, device)) {
    return fold_kept_ones(value, axes, reduction, where, *initial);
  }
  if (where.has_value() && is_empty && initial) {
    check_where(where, value.shape());  // of no element it leaves out none
  } else if (where.has_value()) {
    value = masked_elements(value, reduction, where, initial, keeps_negative_zero);
  }
  if (is_empty) {
    return empty_reduction(axes, reduction, device, initial);
  }
  if (initial && !info.reorderable && !axes.axes().empty()) {
    value = fold_into_first(value, axes, reduction, *initial);
    initial.reset();
  }
  if (!initial && (axes.axes().empty() || identity_changes_elements(reduction.ufunc))) {
    initial = identity_node(reduction.ufunc, reduction.accumulator, device);
  }
  Array total = value;
  if (!axes.axes().empty()) {
    const DType type = initial ? reduction.accumulator : reduction.result;
    total =
        make_reduce(value, axes.axes(), reduction.ufunc, reduction.accumulator, type, axes.keep());
  }
  if (initial) total = make_ufunc(reduction.ufunc, {*initial, total});
  if (keeps_negative_zero && !axes.axes().empty()) {
    total = make_select(all_negative_zero(value, axes), *initial, total);
  }
  const Array result = make_cast(total, reduction.result);
  // Over no axes nothing may be done to the elements, but they become others.
  return is_same(result, input) ? copy(input, 'K') : result;
}

void check_reduction_output(const Array& out, const ReducedAxes& axes, std::string_view name,
                            const Device& device) {
  if (!out.has_value()) return;
  check_output(out, device);
  const Dims& expected = axes.result_shape();
  if (out.rank() != expected.rank()) {
    throw ValueError(
        fmt::format("output parameter for reduction operation {} has the wrong "
                    "number of dimensions: Found {} but expected {}",
                    name, out.rank(), expected.rank()));
  }
  if (out.shape() != expected) {
    throw ValueError(
        fmt::format("output parameter for reduction operation {} has shape {} but "
                    "the result has shape {}",
                    name, to_string(out.shape()), to_string(expected)));
  }
}

void check_root(DType variance, const Array& out, const Dims& shape) {
  const DType held = out.has_value() ? out.dtype() : variance;
  const bool is_array = out.has_value() || !shape.empty();
  if (is_array && !is_inexact(held)) check_cast(DType::float64, held, Casting::same_kind);
}

bool raises_integers(const Reduction& reduction) {
  return reduction.ufunc == UfuncId::power &&
         kind_of(reduction.accumulator) == DTypeKind::signed_integer;
}

void check_exponents(const Array& exponents) {
  if (exponents.size() == 0) return;
  if (read_int64(make_cast(cupola::min(exponents), DType::int64)) < 0) {
    throw ValueError("Integers to negative integer powers are not allowed.");
  }
}

bool is_plain(const ReduceOptions& options) {
  return !options.initial && !options.where.has_value() && !options.out.has_value();
}

Array reduce_now(const Array& input, const ReducedAxes& axes, const Reduction& reduction) {
  const DType accumulator = reduction.accumulator;
  const bool is_cast_once = input.dtype() == reduction.input || reduction.input == accumulator;
  if (!is_cast_once || axes.axes().empty() || identity_changes_elements(reduction.ufunc)) return {};
  return reduce_at_call(reduction.ufunc, input, axes.axes(), accumulator, reduction.result,
                        axes.result_shape());
}

Array reduced_count_node(const Array& input, const ReducedAxes& axes, const Array& where) {
  if (!where.has_value()) {
    return make_constant(axes.reduced_count(), DType::int64, input.device());
  }
  check_where(where, input.shape());
  const Array ones = make_scalar(Scalar(std::int64_t{1}), input.shape(), input.device());
  const Reduction count{UfuncId::add, DType::int64, DType::int64, DType::int64};
  return reduce_node(ones, axes, count, where);
}

DType quotient_dtype(DType sum) {
  const DType type = promote_types(sum, DType::int64);
  return is_inexact(type) ? type : DType::float64;
}

Array divide_by_count(const Array& sum, const Array& count, DType result) {
  const DType quotient = quotient_dtype(sum.dtype());
  const Array value = make_cast(
      make_ufunc(UfuncId::divide, {make_cast(sum, quotient), make_cast(count, quotient)}), result);
  if (count.rank() > 0) lay_out_as(value, sum);
  return value;
}

void lay_out_as(const Array& value, const Array& like) {
  if (!is_laid_out(value)) lay_out(value, natural_strides(like));
}

void lay_out_as_copy(const Array& value, const Array& of) {
  if (is_laid_out(value) || (is_laid_out(of) && is_c_contiguous(of))) return;
  lay_out(value, is_laid_out(of) ? ordered_strides(of, 'K') : natural_strides(of));
}

}  // namespace cupola
