#include "ops/elementwise/uniform_operands.h"

#include <array>
#include <atomic>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/logical_ufuncs.h"
#include "cupola/error.h"
#include "exec/evaluation/deferral.h"
#include "exec/host/host_access.h"
#include "exec/host/host_copy.h"
#include "exec/host/host_map.h"
#include "exec/host/host_result.h"
#include "graph/node.h"
#include "graph/result_layout.h"
#include "ops/elementwise/elements.h"

namespace cupola {

namespace {

// What stands beside an array: another one, a number of no dtype, or nothing.
enum class Other : std::uint8_t { array, integer, floating, nothing };
constexpr std::size_t kOthers = 4;

OperandType type_of(Other other, DType dtype) {
  if (other == Other::integer) return {DType::int64, WeakKind::integer};
  if (other == Other::floating) return {DType::float64, WeakKind::floating};
  return {dtype, {}};
}

const UfuncLoop* find_loop_of_one(UfuncId ufunc, DType dtype) {
  const UfuncInfo& info = ufunc_info(ufunc);
  if (info.input_count != 1 || info.output_count != 1) return nullptr;
  const OperandType own{dtype, {}};
  try {
    const UfuncLoop& loop = resolve_ufunc(ufunc, {&own, 1});
    return loop.input(0) == dtype ? &loop : nullptr;
  } catch (const TypeError&) {
    return nullptr;
  }
}

const UfuncLoop* find_loop(UfuncId ufunc, DType dtype, Other other) {
  if (other == Other::nothing) return find_loop_of_one(ufunc, dtype);
  const UfuncInfo& info = ufunc_info(ufunc);
  if (info.input_count != 2 || info.output_count != 1) return nullptr;
  if (ufunc == UfuncId::power) return nullptr;  // looks at the elements of some exponents
  // They ask whether a number is 0 before it is converted.
  if (is_logical(ufunc) && other != Other::array) return nullptr;
  const OperandType own{dtype, {}}, others = type_of(other, dtype);
  const OperandType types[] = {own, others}, reversed[] = {others, own};
  try {
    const UfuncLoop& loop = resolve_ufunc(ufunc, types);
    if (loop != resolve_ufunc(ufunc, reversed)) return nullptr;
    return loop.input(0) == dtype && loop.input(1) == dtype ? &loop : nullptr;
  } catch (const TypeError&) {
    return nullptr;
  }
}

// As find_loop(), which is asked once.
const UfuncLoop* known_loop(UfuncId ufunc, DType dtype, Other other) {
  struct Entry {
    std::atomic<bool> is_known{false};
    std::atomic<const UfuncLoop*> loop{nullptr};
  };
  static constinit std::array<Entry, std::size_t{kUfuncCount} * kDTypeCount * kOthers> entries{};
  const std::size_t row =
      static_cast<std::size_t>(ufunc) * kDTypeCount + static_cast<std::size_t>(dtype);
  Entry& entry = entries[row * kOthers + static_cast<std::size_t>(other)];
  if (!entry.is_known.load(std::memory_order_acquire)) {
    entry.loop.store(find_loop(ufunc, dtype, other), std::memory_order_relaxed);
    entry.is_known.store(true, std::memory_order_release);
  }
  return entry.loop.load(std::memory_order_relaxed);
}

// As what the number stands beside an array of the dtype; nothing where that has to be looked at.
std::optional<Other> kind_beside(const Scalar& number, DType dtype) {
  if (number.weak_kind() == WeakKind::floating) return Other::floating;
  if (number.weak_kind() != WeakKind::integer || number.dtype() != DType::int64) return {};
  const auto value = number.get<std::int64_t>();
  const bool is_held = !is_integer(dtype) || dtype == DType::int64 ||
                       (value >= 0 && value <= std::numeric_limits<std::int8_t>::max());
  return is_held ? std::optional(Other::integer) : std::nullopt;
}

// The strides are known, and those of neighbours without gaps.
bool is_row_major(const Array& array, const Dims& strides) {
  return is_laid_out(array) && strides_of(array) == strides;
}

Array as_array_like(const Array& a, const Scalar& number) {
  return make_scalar(number.cast(a.dtype()), a.shape(), a.device());
}

// Like its only operand.
const Array& deferred(const Array& result, const Array& operand) {
  lay_out(result, like_strides(result.shape(), {&operand, 1}));
  return defer(result);
}

const Array& deferred_uniform(const Array& result, const Array& operand) {
  lay_out(result, strides_of(operand));
  return defer(result);
}

}  // namespace

const UfuncLoop* loop_for_uniform(UfuncId ufunc, const Array& a, const Array& b) {
  if (a.dtype() != b.dtype() || a.device() != b.device() || a.shape() != b.shape()) return nullptr;
  if (a.rank() > 0) {
    const Dims strides = c_strides(a.shape());
    if (!is_row_major(a, strides) || !is_row_major(b, strides)) return nullptr;
  }
  return known_loop(ufunc, a.dtype(), Other::array);
}

Array call_uniform(UfuncId ufunc, const UfuncLoop& loop, const Array& a, const Array& b) {
  if (a.rank() == 0) {
    if (auto known = compute_element(ufunc, loop, a, b)) return *std::move(known);
  }
  if (Array result = compute_at_call(ufunc, loop, a.shape(), a, b); result.has_value())
    return result;
  return deferred_uniform(make_uniform_ufunc(ufunc, loop.output(0), a, b), a);
}

const UfuncLoop* loop_for_one(UfuncId ufunc, const Array& a) {
  return is_laid_out(a) ? known_loop(ufunc, a.dtype(), Other::nothing) : nullptr;
}

Array call_one(UfuncId ufunc, const UfuncLoop& loop, const Array& a) {
  if (a.rank() == 0) {
    if (auto known = compute_element(ufunc, loop, a)) return *std::move(known);
  }
  if (Array result = compute_at_call(ufunc, loop, a); result.has_value()) return result;
  return deferred(make_ufunc(ufunc, loop, {a}).front(), a);
}

const UfuncLoop* loop_for_one_type(UfuncId ufunc, const Array& a, const Array& b) {
  if (a.dtype() != b.dtype() || a.device() != b.device()) return nullptr;
  if (!is_laid_out(a) || !is_laid_out(b) || (a.rank() == 0 && b.rank() == 0)) return nullptr;
  return known_loop(ufunc, a.dtype(), Other::array);
}

Array call_broadcast(UfuncId ufunc, const UfuncLoop& loop, const Array& a, const Array& b) {
  const Dims shapes[] = {a.shape(), b.shape()};
  const Dims shape = broadcast_shapes(shapes);
  if (Array now = compute_at_call(ufunc, loop, shape, a, b); now.has_value()) return now;
  const Array result = make_ufunc(ufunc, loop, {a, b}).front();
  const Array operands[] = {a, b};
  lay_out(result, like_strides(shape, operands));
  return defer(result);
}

const UfuncLoop* loop_for_number(UfuncId ufunc, const Array& a, const Scalar& number) {
  if (!is_laid_out(a)) return nullptr;
  const std::optional<Other> kind = kind_beside(number, a.dtype());
  return kind ? known_loop(ufunc, a.dtype(), *kind) : nullptr;
}

Array call_with_number(UfuncId ufunc, const UfuncLoop& loop, const Array& a, const Scalar& number,
                       bool is_first) {
  if (a.rank() == 0) {
    if (auto known = compute_element(ufunc, loop, a, number, is_first)) return *std::move(known);
  }
  const Scalar value = number.cast(a.dtype());
  if (Array result = compute_at_call(ufunc, loop, a, value, is_first); result.has_value())
    return result;
  const Array constant = make_scalar(value, a.shape(), a.device());
  const Array& first = is_first ? constant : a;
  const Array& second = is_first ? a : constant;
  return deferred(make_uniform_ufunc(ufunc, loop.output(0), first, second), a);
}

namespace {

// Null: it has no such loop, or looks at its operands.
const UfuncLoop* loop_of_two(UfuncId ufunc, std::span<const OperandType, 2> types) {
  const UfuncInfo& info = ufunc_info(ufunc);
  if (info.input_count != 2 || info.output_count != 1) return nullptr;
  if (ufunc == UfuncId::power || is_logical(ufunc)) return nullptr;
  return &resolve_ufunc(ufunc, types);
}

bool is_few(const Array& a) { return is_stored(a) && a.rank() > 0 && a.size() <= kMaxOnHost; }

}  // namespace

Array call_converted(UfuncId ufunc, const Array& a, const Array& b) {
  if (a.device() != b.device() || (a.rank() == 0 && b.rank() == 0)) return {};
  if ((a.rank() > 0 && !is_few(a)) || (b.rank() > 0 && !is_few(b))) return {};
  const OperandType types[] = {{a.dtype(), {}}, {b.dtype(), {}}};
  const UfuncLoop* const loop = loop_of_two(ufunc, types);
  if (loop == nullptr) return {};
  const Dims shapes[] = {a.shape(), b.shape()};
  return compute_at_call(ufunc, *loop, broadcast_shapes(shapes), a, b);
}

Array call_converted(UfuncId ufunc, const Array& a, const Scalar& number, bool is_first) {
  const std::optional<Other> kind = is_few(a) ? kind_beside(number, a.dtype()) : std::nullopt;
  if (!kind) return {};
  const OperandType own{a.dtype(), {}}, other = type_of(*kind, a.dtype());
  const OperandType types[] = {is_first ? other : own, is_first ? own : other};
  const UfuncLoop* const loop = loop_of_two(ufunc, types);
  if (loop == nullptr) return {};
  return compute_at_call(ufunc, *loop, a, number.cast(loop->input(is_first ? 0 : 1)), is_first);
}

namespace {

// A write is done at the call anyway.
bool takes_no_launch(UfuncId ufunc, const Array& a, const Operand* b, const Array& out) {
  if (out.size() <= kMaxOnHost) return true;
  const auto is_ready = [](const Array& array) {
    return is_stored(array) && array.nbytes() <= kMaxBytesAtOnce;
  };
  return is_cheap(ufunc) && is_ready(out) && is_ready(a) &&
         (!b || !b->is_array() || is_ready(b->array()));
}

// Of elements that are stored.
bool store_now(UfuncId ufunc, const UfuncLoop& loop, const Array& a, const Operand* b,
               const Array& out) {
  if (b == nullptr) return store_at_call(ufunc, loop, a, out);
  if (b->is_array()) return store_at_call(ufunc, loop, a, b->array(), out);
  return store_at_call(ufunc, loop, a, b->scalar().cast(a.dtype()), false, out);
}

// Of few elements that lie in any way: computed apart, since what is read may lie there as well.
bool store_apart(UfuncId ufunc, const Array& a, const Operand* b, const Array& out) {
  if (!is_few(out)) return false;
  const bool has_array = b != nullptr && b->is_array();
  const UfuncLoop* const loop = b == nullptr ? loop_for_one(ufunc, a)
                                : has_array  ? loop_for_one_type(ufunc, a, b->array())
                                             : loop_for_number(ufunc, a, b->scalar());
  if (loop == nullptr || loop->output(0) != out.dtype()) return false;
  if (has_array && b->array().shape() != out.shape() && b->array().rank() > 0) return false;
  const Array result = b == nullptr ? compute_at_call(ufunc, *loop, a)
                       : has_array
                           ? compute_at_call(ufunc, *loop, out.shape(), a, b->array())
                           : compute_at_call(ufunc, *loop, a, b->scalar().cast(a.dtype()), false);
  return result.has_value() && write_at_once(result, out);
}

}  // namespace

bool store_uniform(UfuncId ufunc, const Array& a, const Operand* b, const Array& out) {
  if (!out.writable() || out.rank() == 0 || !takes_no_launch(ufunc, a, b, out)) return false;
  if (out.device() != a.device() || out.shape() != a.shape()) return false;
  const Dims strides = c_strides(out.shape());
  if (!is_row_major(out, strides) || !is_row_major(a, strides)) {
    return store_apart(ufunc, a, b, out);
  }
  const UfuncLoop* const loop = b == nullptr    ? loop_for_one(ufunc, a)
                                : b->is_array() ? loop_for_uniform(ufunc, a, b->array())
                                                : loop_for_number(ufunc, a, b->scalar());
  if (!loop || loop->output(0) != out.dtype()) return false;
  if (store_now(ufunc, *loop, a, b, out)) return true;
  if (!is_stored(out) && !compute_on_host(out)) return false;
  const std::int64_t most = out.size();
  if (b == nullptr) return compute_on_host(make_ufunc(ufunc, *loop, {a}).front(), out, most);
  const Array second = b->is_array() ? b->array() : as_array_like(a, b->scalar());
  return compute_on_host(make_uniform_ufunc(ufunc, out.dtype(), a, second), out, most);
}

bool update_uniform(UfuncId ufunc, const Array& a, const Operand& b) {
  return a.rank() == 0 ? update_element(ufunc, a, b) : store_uniform(ufunc, a, &b, a);
}

}  // namespace cupola
