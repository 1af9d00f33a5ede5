#include "ops/alike.h"

#include <array>
#include <atomic>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "core/logical_ufuncs.h"
#include "cupola/error.h"
#include "exec/deferral.h"
#include "exec/host_access.h"
#include "exec/host_map.h"
#include "exec/host_result.h"
#include "exec/result_layout.h"
#include "graph/node.h"
#include "ops/elements.h"

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

const Array& deferred(const Array& result, const Array& alike) {
  lay_out(result, strides_of(alike));
  return defer(result);
}

}  // namespace

const UfuncLoop* loop_for_alike(UfuncId ufunc, const Array& a, const Array& b) {
  if (a.dtype() != b.dtype() || a.device() != b.device() || a.shape() != b.shape()) return nullptr;
  const Dims strides = c_strides(a.shape());
  if (!is_row_major(a, strides) || !is_row_major(b, strides)) return nullptr;
  return known_loop(ufunc, a.dtype(), Other::array);
}

Array call_alike(UfuncId ufunc, const UfuncLoop& loop, const Array& a, const Array& b) {
  if (a.rank() == 0) {
    if (auto known = compute_element(ufunc, loop, a, b)) return *std::move(known);
  }
  if (Array result = compute_at_call(ufunc, loop.output(0), a, b); result.has_value())
    return result;
  return deferred(make_ufunc_of_alike(ufunc, loop.output(0), a, b), a);
}

const UfuncLoop* loop_for_one(UfuncId ufunc, const Array& a) {
  if (a.rank() == 0 || !is_row_major(a, c_strides(a.shape()))) return nullptr;
  return known_loop(ufunc, a.dtype(), Other::nothing);
}

Array call_one(UfuncId ufunc, const UfuncLoop& loop, const Array& a) {
  if (Array result = compute_at_call(ufunc, loop.output(0), a); result.has_value()) return result;
  return deferred(make_ufunc(ufunc, loop, {a}).front(), a);
}

const UfuncLoop* loop_for_one_type(UfuncId ufunc, const Array& a, const Array& b) {
  if (a.dtype() != b.dtype() || a.device() != b.device()) return nullptr;
  if (!is_laid_out(a) || !is_laid_out(b) || (a.rank() == 0 && b.rank() == 0)) return nullptr;
  return known_loop(ufunc, a.dtype(), Other::array);
}

Array call_broadcast(UfuncId ufunc, const UfuncLoop& loop, const Array& a, const Array& b) {
  const Array result = make_ufunc(ufunc, loop, {a, b}).front();
  const Array operands[] = {a, b};
  lay_out(result, like_strides(result.shape(), operands));
  return defer(result);
}

const UfuncLoop* loop_for_number(UfuncId ufunc, const Array& a, const Scalar& number) {
  if (!is_row_major(a, c_strides(a.shape()))) return nullptr;
  const std::optional<Other> kind = kind_beside(number, a.dtype());
  return kind ? known_loop(ufunc, a.dtype(), *kind) : nullptr;
}

Array call_with_number(UfuncId ufunc, const UfuncLoop& loop, const Array& a, const Scalar& number,
                       bool is_first) {
  if (a.rank() == 0) {
    if (auto known = compute_element(ufunc, loop, a, number, is_first)) return *std::move(known);
  }
  const Scalar value = number.cast(a.dtype());
  if (Array result = compute_at_call(ufunc, loop.output(0), a, value, is_first); result.has_value())
    return result;
  const Array constant = make_scalar(value, a.shape(), a.device());
  const Array& first = is_first ? constant : a;
  const Array& second = is_first ? a : constant;
  return deferred(make_ufunc_of_alike(ufunc, loop.output(0), first, second), a);
}

bool update_alike(UfuncId ufunc, const Array& a, const Operand& b) {
  if (a.rank() == 0) return update_element(ufunc, a, b);
  if (!a.writable() || a.size() > kMostOnHost) return false;
  const UfuncLoop* const loop =
      b.is_array() ? loop_for_alike(ufunc, a, b.array()) : loop_for_number(ufunc, a, b.scalar());
  if (!loop || loop->output(0) != a.dtype()) return false;
  if (!is_stored(a) && !compute_on_host(a)) return false;
  const Array second = b.is_array() ? b.array() : as_array_like(a, b.scalar());
  return compute_on_host(make_ufunc_of_alike(ufunc, a.dtype(), a, second), a);
}

}  // namespace cupola
