#include "ops/indexing/value_range.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "graph/node.h"
#include "ops/indexing/known_range.h"

namespace cupola {

namespace {

// Arrays that are looked at.
constexpr int kMaxLooks = 64;
constexpr std::int64_t kSmallest = std::numeric_limits<std::int64_t>::min();

KnownRange all_of(DType dtype) {
  if (dtype == DType::bool_) return {0, 1, dtype};
  if (!is_integer(dtype) || dtype == DType::uint64) return {};
  return dispatch_integer(dtype, [&](auto zero) {
    using Limits = std::numeric_limits<decltype(zero)>;
    return KnownRange{static_cast<std::int64_t>(Limits::min()),
                      static_cast<std::int64_t>(Limits::max()), dtype};
  });
}

// least .. largest, or all that there is where the dtype cannot hold them: values wrap.
KnownRange within(std::int64_t least, std::int64_t largest, DType dtype) {
  const KnownRange all = all_of(dtype);
  const bool fits =
      dtype == DType::uint64 ? least >= 0 : least >= all.least && largest <= all.largest;
  return fits && least <= largest ? KnownRange{least, largest, dtype} : all;
}

KnownRange of_either(const KnownRange& a, const KnownRange& b, DType dtype) {
  if (!a.is_known() || !b.is_known()) return all_of(dtype);
  return within(std::min(a.least, b.least), std::max(a.largest, b.largest), dtype);
}

// The ends of a function that rises or falls along each operand, which are known.
template <typename Function>
KnownRange of_ends(const KnownRange& a, const KnownRange& b, DType dtype,
                   const Function& overflows) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t largest = kSmallest;
  for (const std::int64_t x : {a.least, a.largest}) {
    for (const std::int64_t y : {b.least, b.largest}) {
      std::int64_t value = 0;
      if (overflows(x, y, &value)) return all_of(dtype);
      least = std::min(least, value);
      largest = std::max(largest, value);
    }
  }
  return within(least, largest, dtype);
}

std::int64_t floor_divide(std::int64_t a, std::int64_t positive) {
  return a / positive - (a % positive < 0 ? 1 : 0);
}

bool is_natural(const KnownRange& range) { return range.is_known() && range.least >= 0; }

// All values of as many bits as the larger of two natural numbers has.
std::int64_t all_bits(std::int64_t a, std::int64_t b) {
  const int bits = std::bit_width(static_cast<std::uint64_t>(a | b));
  return static_cast<std::int64_t>((std::uint64_t{1} << bits) - 1);
}

KnownRange of_binary(UfuncId ufunc, const KnownRange& a, const KnownRange& b, DType dtype) {
  if (ufunc == UfuncId::bitwise_and && is_natural(a)) return within(0, a.largest, dtype);
  if (!a.is_known() || !b.is_known()) return all_of(dtype);
  switch (ufunc) {
    case UfuncId::add:
      return of_ends(a, b, dtype, [](std::int64_t x, std::int64_t y, std::int64_t* value) {
        return __builtin_add_overflow(x, y, value);
      });
    case UfuncId::subtract:
      return of_ends(a, b, dtype, [](std::int64_t x, std::int64_t y, std::int64_t* value) {
        return __builtin_sub_overflow(x, y, value);
      });
    case UfuncId::multiply:
      return of_ends(a, b, dtype, [](std::int64_t x, std::int64_t y, std::int64_t* value) {
        return __builtin_mul_overflow(x, y, value);
      });
    case UfuncId::floor_divide:
      if (b.least <= 0) return all_of(dtype);
      return of_ends(a, b, dtype, [](std::int64_t x, std::int64_t y, std::int64_t* value) {
        *value = floor_divide(x, y);
        return false;
      });
    case UfuncId::right_shift: {
      const auto bits = static_cast<std::int64_t>(8 * item_size(dtype));
      if (b.least < 0 || b.largest >= bits) return all_of(dtype);
      return of_ends(a, b, dtype, [](std::int64_t x, std::int64_t y, std::int64_t* value) {
        *value = x >> y;
        return false;
      });
    }
    case UfuncId::minimum:
      return within(std::min(a.least, b.least), std::min(a.largest, b.largest), dtype);
    case UfuncId::maximum:
      return within(std::max(a.least, b.least), std::max(a.largest, b.largest), dtype);
    case UfuncId::bitwise_or:
    case UfuncId::bitwise_xor:
      if (!is_natural(a) || !is_natural(b)) return all_of(dtype);
      return within(0, all_bits(a.largest, b.largest), dtype);
    default:
      return all_of(dtype);
  }
}

KnownRange of_unary(UfuncId ufunc, const KnownRange& a, DType dtype) {
  if (!a.is_known()) return all_of(dtype);
  switch (ufunc) {
    case UfuncId::positive:
      return within(a.least, a.largest, dtype);
    case UfuncId::negative:
      return a.least == kSmallest ? all_of(dtype) : within(-a.largest, -a.least, dtype);
    case UfuncId::absolute:
      if (a.least >= 0 || a.least == kSmallest) return a.least >= 0 ? a : all_of(dtype);
      return within(0, std::max(-a.least, a.largest), dtype);
    default:
      return all_of(dtype);
  }
}

KnownRange of_scalar(const Scalar& value, DType dtype) {
  if (dtype == DType::uint64 &&
      std::cmp_greater(value.get<std::uint64_t>(), std::numeric_limits<std::int64_t>::max())) {
    return {};
  }
  const auto whole = value.get<std::int64_t>();
  return within(whole, whole, dtype);
}

class Search {
 public:
  KnownRange range_of(const Array& array) {
    const DType dtype = array.dtype();
    if (dtype != DType::bool_ && !is_integer(dtype)) return {};
    if (const NodePointer node = node_of(array)) {
      return ++looks_ <= kMaxLooks ? of_node(*node, array) : all_of(dtype);
    }
    const KnownRange range = known_range(array);
    return range.is_known() ? range : all_of(dtype);
  }

 private:
  KnownRange of_node(const Node& node, const Array& array) {
    const DType dtype = array.dtype();
    const auto input = [&](std::size_t i) {
      KnownRange range = range_of(node.inputs[i]);
      range.is_exact = false;
      return range;
    };
    switch (node.kind) {
      case NodeKind::scalar:
        return of_scalar(node.value, dtype);
      case NodeKind::index:
        return within(0, array.size() - 1, dtype);
      case NodeKind::cast: {
        const KnownRange range = input(0);
        return range.is_known() ? within(range.least, range.largest, dtype) : all_of(dtype);
      }
      case NodeKind::ufunc:
        return of_ufunc(node, dtype, input);
      case NodeKind::select:
        return of_either(input(1), input(2), dtype);
      case NodeKind::gather:
      case NodeKind::roll:
      case NodeKind::view:
        return input(0);
      case NodeKind::arg_reduce: {
        std::int64_t count = 1;
        for (const std::int64_t axis : node.axes) {
          count *= node.inputs[0].shape()[static_cast<std::size_t>(axis)];
        }
        return within(0, count - 1, dtype);
      }
      default:
        return all_of(dtype);
    }
  }

  // The second operand, mostly a number, often says all.
  template <typename Input>
  static KnownRange of_ufunc(const Node& node, DType dtype, const Input& input) {
    if (node.inputs.size() == 1) return of_unary(node.ufunc, input(0), dtype);
    if (node.inputs.size() != 2 || node.result != 0) return all_of(dtype);
    const KnownRange second = input(1);
    if (node.ufunc == UfuncId::remainder) {
      return is_natural(second) && second.least > 0 ? within(0, second.largest - 1, dtype)
                                                    : all_of(dtype);
    }
    if (node.ufunc == UfuncId::bitwise_and && is_natural(second)) {
      return within(0, second.largest, dtype);
    }
    return of_binary(node.ufunc, input(0), second, dtype);
  }

  int looks_ = 0;
};

}  // namespace

KnownRange value_range(const Array& array) { return Search().range_of(array); }

}  // namespace cupola
