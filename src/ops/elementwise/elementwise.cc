#include "cupola/ops/elementwise.h"

#include <fmt/format.h>

#include "core/logical_ufuncs.h"
#include "core/ufunc_signature.h"
#include "cupola/error.h"
#include "cupola/ops/reduce.h"
#include "cupola/ops/ufunc_signature.h"
#include "cupola/runtime.h"
#include "cupola/transfer.h"
#include "exec/evaluation/deferral.h"
#include "exec/evaluation/evaluator.h"
#include "exec/host/host_access.h"
#include "exec/host/host_result.h"
#include "ops/elementwise/elements.h"
#include "ops/elementwise/uniform_operands.h"
#include "ops/few_elements.h"
#include "ops/operands.h"
#include "ops/support.h"

namespace cupola {

namespace {

void check_operand_count(const UfuncInfo& info, std::span<const Operand> operands) {
  if (static_cast<int>(operands.size()) != info.input_count) {
    throw TypeError(fmt::format("{}() takes {} positional arguments but {} were given", info.name,
                                info.input_count, operands.size()));
  }
}

// The shape that all inputs share, where nothing needs to be broadcast; else null.
const Dims* only_shape(std::span<const Operand> operands, const UfuncOptions& options) {
  if (options.where.has_value() || !options.out.empty()) return nullptr;
  const Dims* shape = nullptr;
  for (const Operand& operand : operands) {
    if (!operand.is_array()) continue;
    if (shape && *shape != operand.array().shape()) return nullptr;
    shape = &operand.array().shape();
  }
  return shape;
}

// The broadcast shape of inputs, `where` and outputs, which themselves must have it already.
Dims result_shape(const UfuncInfo& info, std::span<const Operand> operands,
                  const UfuncOptions& options) {
  if (const Dims* shape = only_shape(operands, options)) return *shape;
  std::vector<Dims> shapes;
  for (const Operand& operand : operands) {
    if (operand.is_array()) shapes.push_back(operand.array().shape());
  }
  if (options.where.has_value()) shapes.push_back(options.where.shape());
  const Dims inputs_only = broadcast_shapes(shapes);
  for (const Array& out : options.out) {
    if (out.has_value()) shapes.push_back(out.shape());
  }
  const Dims shape = broadcast_shapes(shapes);
  for (const Array& out : options.out) {
    if (out.has_value() && out.shape() != shape) {
      throw ValueError(
          fmt::format("non-broadcastable output operand with shape {} doesn't match the broadcast "
                      "shape {} of {}",
                      to_string(out.shape()), to_string(inputs_only), info.name));
    }
  }
  return shape;
}

void check_outputs(const UfuncInfo& info, const UfuncLoop& loop, const UfuncOptions& options,
                   const Device& device) {
  for (std::size_t i = 0; i < options.out.size(); ++i) {
    const Array& out = options.out[i];
    if (!out.has_value()) continue;
    const DType from = loop.output(static_cast<int>(i));
    if (!can_cast(from, out.dtype(), options.casting)) {
      throw CastingError(fmt::format(
          "Cannot cast ufunc '{}' output from dtype('{}') to dtype('{}') with casting rule '{}'",
          info.name, name_of(from), name_of(out.dtype()), name_of(options.casting)));
    }
    if (!out.writable()) throw ValueError("output array is read-only");
    if (out.device() != device) {
      throw DeviceError(fmt::format("{}: the output is on {}, the operands are on {}", info.name,
                                    out.device().to_string(), device.to_string()));
    }
  }
}

// Whether an exponent that is looked at is negative in the dtype of the loop.
bool has_negative(const Operand& exponent, DType dtype, const Array& where, const Device& device) {
  if (where.has_value()) {
    const Array negative = make_ufunc(
        UfuncId::less,
        {as_node(exponent, dtype, device), make_constant(std::int64_t{0}, dtype, device)});
    return read_bool(any(make_ufunc(UfuncId::logical_and, {where, negative})));
  }
  if (!exponent.is_array()) {
    return exponent.scalar().cast(dtype).cast(DType::int64).get<std::int64_t>() < 0;
  }
  const DType own = exponent.array().dtype();
  const bool is_signed = kind_of(own) == DTypeKind::signed_integer;
  if (!is_signed && !is_inexact(own) && can_cast(own, dtype)) return false;
  const Array smallest = reduce_ufunc(UfuncId::minimum, make_cast(exponent.array(), dtype));
  return item(smallest).cast(DType::int64).get<std::int64_t>() < 0;
}

// numpy.power refuses negative integer exponents of integers.
void check_integer_power(UfuncId ufunc, const UfuncLoop& loop, std::span<const Operand> operands,
                         const Dims& shape, const Array& where, const Device& device) {
  if (ufunc != UfuncId::power || kind_of(loop.input(1)) != DTypeKind::signed_integer) return;
  if (element_count(shape) > 0 && has_negative(operands[1], loop.input(1), where, device)) {
    throw ValueError("Integers to negative integer powers are not allowed.");
  }
}

// The dtype of an operand beside a Python integer; that of an integer without one is int64.
DType dtype_beside(const Operand& operand) {
  return operand.is_array() ? operand.array().dtype() : operand.scalar().dtype();
}

bool is_held_by(const Scalar& integer, DType dtype) {
  try {
    integer.cast(dtype);
    return true;
  } catch (const OverflowError&) {
    return false;
  }
}

// -1, 0 or 1 where one operand is a Python integer that the other's integer type does not hold, as
// it is to any such integer: the first operand is less, equal (of two numbers alone) or greater.
std::optional<int> order_by_number(std::span<const Operand> operands) {
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
    const Operand& other = operands[1 - i];
    if (operands[i].is_array()) continue;
    const Scalar& number = operands[i].scalar();
    const DType dtype = dtype_beside(other);
    if (number.weak_kind() != WeakKind::integer || !is_integer(dtype)) continue;
    if (!other.is_array() && other.scalar().weak_kind() == WeakKind::boolean) continue;
    if (is_held_by(number, dtype)) continue;
    const bool is_negative = number.to_complex().real() < 0;
    return is_negative == (i == 0) ? -1 : 1;
  }
  const auto is_wide = [](const Operand& operand) {
    return !operand.is_array() && operand.scalar().dtype() == DType::uint64;
  };
  if (!is_wide(operands[0]) || !is_wide(operands[1])) return {};
  const auto first = operands[0].scalar().get<std::uint64_t>();
  const auto second = operands[1].scalar().get<std::uint64_t>();
  return first == second ? 0 : first < second ? -1 : 1;
}

// A Python integer beyond the array's integer type still compares as a number: int8 < 300.
// Nothing where the rule does not apply.
std::optional<Array> compare_with_outsider(UfuncId ufunc, std::span<const Operand> operands,
                                           const Dims& shape, const Device& device) {
  if (!is_comparison(ufunc)) return {};
  const std::optional<int> order = order_by_number(operands);
  if (!order) return {};
  bool result = ufunc == UfuncId::equal ? *order == 0 : *order != 0;
  if (ufunc == UfuncId::less) result = *order < 0;
  if (ufunc == UfuncId::less_equal) result = *order <= 0;
  if (ufunc == UfuncId::greater) result = *order > 0;
  if (ufunc == UfuncId::greater_equal) result = *order >= 0;
  return make_scalar(Scalar(result), shape, device);
}

// numpy.power takes the square root where one exponent is repeated and it is 0.5: that of -inf is
// NaN, that of -0.0 is -0.0.
Array power_or_root(const Array& power, const Array& base, const Operand& exponent, DType type) {
  if (type != DType::float32 && type != DType::float64) return power;
  if (!exponent.is_array()) {
    const bool is_root = exponent.scalar().to_complex() == 0.5;
    return is_root ? make_ufunc(UfuncId::sqrt, {base}) : power;
  }
  const bool is_one = exponent.array().size() == 1 && base.size() != 1;
  if (exponent.array().rank() != 0 && !is_one) return power;
  const Array half = make_constant(0.5, type, base.device());
  const Array is_root = make_ufunc(UfuncId::equal, {make_cast(exponent.array(), type), half});
  return make_select(is_root, make_ufunc(UfuncId::sqrt, {base}), power);
}

std::vector<Array> make_results(UfuncId ufunc, const UfuncLoop& loop,
                                std::span<const Operand> operands, const Dims& shape,
                                const Device& device) {
  std::vector<Array> inputs;
  inputs.reserve(operands.size());
  for (int i = 0; i < loop.input_count; ++i) {
    const Operand& operand = operands[static_cast<std::size_t>(i)];
    // A scalar takes the whole shape, so that the node has it even without array operands.
    inputs.push_back(
        operand.is_array()
            ? make_cast(operand.array(), loop.input(i))
            : make_scalar(loop_value(ufunc, operand.scalar(), loop.input(i)), shape, device));
  }
  if (ufunc != UfuncId::power) return make_ufunc(ufunc, loop, std::move(inputs));
  const Array power = make_ufunc(ufunc, loop, inputs).front();
  return {power_or_root(power, inputs[0], operands[1], loop.output(0))};
}

const UfuncLoop& chosen_loop(UfuncId ufunc, std::span<const Operand> operands,
                             const UfuncSignature& signature, const UfuncOptions& options) {
  const auto types = operand_types(operands);
  if (signature.empty()) return resolve_ufunc(ufunc, types, options.dtype, options.casting);
  if (options.dtype) throw TypeError("cannot specify both 'signature' and 'dtype'");
  const UfuncLoop& loop = resolve_ufunc_with(ufunc, types, signature, options.casting);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (signature[i]) check_number(operands[i], loop.types[i]);
  }
  return loop;
}

// Python numbers are of no dtype: they go wherever numbers of their kind go.
bool can_assign(const Operand& value, DType to, Casting casting) {
  if (value.is_array()) return can_cast(value.array().dtype(), to, casting);
  const std::optional<WeakKind> kind = value.scalar().weak_kind();
  if (!kind || kind == WeakKind::boolean) return can_cast(value.scalar().dtype(), to, casting);
  return casting == Casting::unsafe_ || result_type({&to, 1}, {&*kind, 1}) == to;
}

void check_assigned(const Operand& value, DType to, Casting casting) {
  if (can_assign(value, to, casting)) return;
  const DType from = value.is_array() ? value.array().dtype() : value.scalar().dtype();
  throw CastingError(
      fmt::format("Cannot cast from dtype('{}') to dtype('{}') according to the rule '{}'",
                  name_of(from), name_of(to), name_of(casting)));
}

// A number without a type is equivalent only to its default.
void check_equivalent(const Operand& value, DType to, Casting casting) {
  if (casting != Casting::equiv || value.is_array() || !value.scalar().weak_kind()) return;
  const WeakKind kind = *value.scalar().weak_kind();
  if (result_type({}, {&kind, 1}) == to) return;
  throw CastingError(
      fmt::format("cannot cast a Python number to {} under the casting rule 'equiv'", name_of(to)));
}

}  // namespace

std::vector<Array> call_ufunc(UfuncId ufunc, std::span<const Operand> operands,
                              const UfuncOptions& options) {
  return call_ufunc_with(ufunc, operands, {}, options);
}

Array apply_ufunc(UfuncId ufunc, std::span<const Operand> operands) {
  if (operands.size() == 2 && operands[0].is_array() && operands[1].is_array()) {
    const Array& a = operands[0].array();
    const Array& b = operands[1].array();
    if (const UfuncLoop* loop = loop_for_uniform(ufunc, a, b))
      return call_uniform(ufunc, *loop, a, b);
    if (const UfuncLoop* loop = loop_for_one_type(ufunc, a, b)) {
      return call_broadcast(ufunc, *loop, a, b);
    }
    if (Array now = call_converted(ufunc, a, b); now.has_value()) return now;
  } else if (operands.size() == 2 && operands[0].is_array() != operands[1].is_array()) {
    const bool is_first = !operands[0].is_array();
    const Array& a = operands[is_first ? 1 : 0].array();
    const Scalar& number = operands[is_first ? 0 : 1].scalar();
    if (const UfuncLoop* loop = loop_for_number(ufunc, a, number)) {
      return call_with_number(ufunc, *loop, a, number, is_first);
    }
    if (Array now = call_converted(ufunc, a, number, is_first); now.has_value()) return now;
  } else if (operands.size() == 1 && operands[0].is_array()) {
    const Array& a = operands[0].array();
    if (const UfuncLoop* loop = loop_for_one(ufunc, a)) return call_one(ufunc, *loop, a);
  }
  return std::move(call_ufunc(ufunc, operands).front());
}

std::vector<Array> call_ufunc_with(UfuncId ufunc, std::span<const Operand> operands,
                                   const UfuncSignature& signature, const UfuncOptions& options) {
  const UfuncInfo& info = ufunc_info(ufunc);
  check_operand_count(info, operands);
  const Device device = operand_device(operands, options);
  std::vector<Operand> kept;
  operands = on_device(operands, device, kept);
  const Dims shape = result_shape(info, operands, options);
  std::vector<Array> results;
  const bool has_types = !signature.empty() || options.dtype.value_or(DType::bool_) != DType::bool_;
  std::optional<Array> constant;
  if (!has_types) constant = compare_with_outsider(ufunc, operands, shape, device);
  if (constant) {
    results.push_back(*constant);
    UfuncLoop loop{{DType::bool_, DType::bool_, DType::bool_}, 2, 1};
    check_outputs(info, loop, options, device);
  } else {
    const UfuncLoop& loop = chosen_loop(ufunc, operands, signature, options);
    check_outputs(info, loop, options, device);
    check_integer_power(ufunc, loop, operands, shape, options.where, device);
    if (shape.rank() == 0 && !options.where.has_value()) {
      if (auto known = compute_elements(ufunc, loop, operands, device)) {
        if (options.out.empty()) return {*std::move(known)};
        results.push_back(*std::move(known));
      }
    }
    if (results.empty()) results = make_results(ufunc, loop, operands, shape, device);
  }
  return store_results(std::move(results), shape, operands, options);
}

namespace {

// Of few elements, at the call; numbers are of the dtype. No array: the result is to wait.
Array choose_few(const Operand& condition, const Operand& x, const Operand& y, DType dtype,
                 const Device& device) {
  if (!condition.is_array() || condition.array().dtype() != DType::bool_) return {};
  if (!is_stored(condition.array()) || condition.array().size() > kMaxOnHost) return {};
  std::vector<Dims> shapes{condition.array().shape()};
  std::array<Chosen, 2> chosen;
  for (std::size_t i = 0; i < 2; ++i) {
    const Operand& operand = i == 0 ? x : y;
    if (operand.is_array()) {
      if (operand.array().device() != device) return {};
      chosen[i].array = &operand.array();
      shapes.push_back(operand.array().shape());
    } else {
      chosen[i].number = operand.scalar().data();
    }
  }
  return select_at_call(condition.array(), chosen[0], chosen[1], dtype, broadcast_shapes(shapes));
}

// A number in the dtype of the result: integers wrap here, as NumPy's do.
Operand as_choice(const Operand& operand, DType dtype) {
  if (operand.is_array()) return operand;
  const Scalar& number = operand.scalar();
  const bool may_wrap = number.weak_kind() == WeakKind::integer && !is_inexact(number.dtype());
  return (may_wrap ? Scalar::from_bytes(number.dtype(), number.data()) : number).cast(dtype);
}

}  // namespace

Array where(const Operand& condition, const Operand& x, const Operand& y) {
  const Operand operands[] = {condition, x, y};
  const Device device = operand_device(operands, {});
  const DType dtype = result_dtype({operands + 1, 2});
  const Operand yes = as_choice(x, dtype), no = as_choice(y, dtype);
  if (Array now = choose_few(condition, yes, no, dtype, device); now.has_value()) return now;
  const Array node = make_select(as_node(condition, DType::bool_, device),
                                 as_node(yes, dtype, device), as_node(no, dtype, device));
  return defer(node);
}

Array clip(const Operand& a, const std::optional<Operand>& low, const std::optional<Operand>& high,
           const UfuncOptions& options) {
  if (!low && !high) return call_ufunc(UfuncId::positive, {&a, 1}, options).front();
  if (!low || !high) {
    const Operand two[] = {a, low ? *low : *high};
    return call_ufunc(low ? UfuncId::maximum : UfuncId::minimum, two, options).front();
  }
  const std::vector<Operand> operands{a, *low, *high};
  const Device device = operand_device(operands, options);
  const Dims shape = result_shape(ufunc_info(UfuncId::minimum), operands, options);
  // The loop of minimum over all operands' common type also says what clip supports.
  const DType common = options.dtype ? *options.dtype : result_dtype(operands);
  for (const Operand& operand : operands) {
    check_equivalent(operand, common, options.casting);
    check_assigned(operand, common, options.casting);
  }
  const OperandType types[] = {{common, {}}, {common, {}}};
  const UfuncLoop& loop = resolve_ufunc(UfuncId::minimum, types, {}, options.casting);
  check_outputs(ufunc_info(UfuncId::minimum), loop, options, device);
  Array value = as_node(a, common, device);
  value = make_ufunc(UfuncId::maximum, {value, as_node(*low, common, device)});
  value = make_ufunc(UfuncId::minimum, {value, as_node(*high, common, device)});
  return store_results({value}, shape, operands, options).front();
}

Array astype(const Array& a, DType dtype, Casting casting, char order, bool copy_always) {
  if (!can_cast(a.dtype(), dtype, casting)) {
    throw CastingError(
        fmt::format("Cannot cast array data from dtype('{}') to dtype('{}') according to the rule "
                    "'{}'",
                    name_of(a.dtype()), name_of(dtype), name_of(casting)));
  }
  if (!is_laid_out(a)) evaluate(a);
  if (Array now = astype_at_call(a, dtype, order, copy_always); now.has_value()) return now;
  const bool order_fits = order == 'K' || (order == 'C' && is_c_contiguous(a)) ||
                          (order == 'F' && is_f_contiguous(a)) ||
                          (order == 'A' && (is_c_contiguous(a) || is_f_contiguous(a)));
  if (!copy_always && a.dtype() == dtype && order_fits) return a;
  const Dims strides = ordered_strides(a, order);
  if (a.dtype() != dtype && strides == ordered_strides(a, 'K')) {
    const Array converted = make_cast(a, dtype);
    lay_out(converted, strides);
    return defer(converted);
  }
  const Array target = allocate_ordered(dtype, a, order);
  write(a, target);
  return target;
}

Array copy(const Array& a, char order) {
  return astype(a, a.dtype(), Casting::unsafe_, order, true);
}

namespace {

void check_broadcast(std::string_view what, const Dims& from, const Dims& to) {
  const Dims shapes[] = {to, from};
  if (from.rank() <= to.rank() && broadcast_shapes(shapes) == to) return;
  throw ValueError(fmt::format("could not broadcast {} from shape {} into shape {}", what,
                               to_string(from), to_string(to)));
}

}  // namespace

void assign(const Array& target, const Operand& value, Casting casting, const Array& where) {
  check_assigned(value, target.dtype(), casting);
  const Dims& shape = target.shape();
  const Operand stripped = without_leading_ones(value, shape.size());
  Array source = as_node(stripped, target.dtype(), target.device());
  check_broadcast("input array", source.shape(), shape);
  if (where.has_value()) check_broadcast("where mask", where.shape(), shape);
  evaluate(target);
  if (where.has_value()) {
    source = make_select(as_node(where, DType::bool_, target.device()), source, target);
  }
  write(source, target);
}

}  // namespace cupola
