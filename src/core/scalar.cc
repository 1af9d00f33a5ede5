#include "cupola/scalar.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "cupola/error.h"

namespace cupola {
namespace {

template <typename T>
inline constexpr bool kIsHalf = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;
template <typename T>
inline constexpr bool kIsComplex =
    std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

// 16-bit floats as float, everything else as it is.
template <typename T>
auto widen(T value) {
  if constexpr (kIsHalf<T>) {
    return static_cast<float>(value);
  } else {
    return value;
  }
}

// The float towards zero from `value`, its last bit set if inexact: rounding that to 16 bits then
// gives what rounding `value` at once would.
float round_to_odd(double value) {
  const auto nearest = static_cast<float>(value);
  if (static_cast<double>(nearest) == value || std::isnan(value)) return nearest;
  const bool away = std::abs(static_cast<double>(nearest)) > std::abs(value);
  return std::bit_cast<float>((std::bit_cast<std::uint32_t>(nearest) - (away ? 1u : 0u)) | 1u);
}

// The truncated value if Integer can hold it, else the value that x86 gives: the lowest one.
template <typename Integer>
Integer truncate_to(double value) {
  constexpr double kEnd = -static_cast<double>(std::numeric_limits<Integer>::min());
  const double whole = std::trunc(value);
  if (!(whole >= -kEnd && whole < kEnd)) return std::numeric_limits<Integer>::min();
  return static_cast<Integer>(whole);
}

std::uint64_t truncate_to_uint64(double value) {
  if (value >= 0x1p64) return 0;
  if (value >= 0x1p63) return static_cast<std::uint64_t>(value);
  return static_cast<std::uint64_t>(truncate_to<std::int64_t>(value));
}

template <typename To>
To real_to_integer(double value) {
  if constexpr (std::is_same_v<To, std::uint64_t>) {
    return truncate_to_uint64(value);
  } else if constexpr (sizeof(To) == 8 || std::is_same_v<To, std::uint32_t>) {
    return static_cast<To>(truncate_to<std::int64_t>(value));
  } else {
    return static_cast<To>(truncate_to<std::int32_t>(value));
  }
}

template <typename To, typename From>
To convert(From value) {
  if constexpr (kIsHalf<From>) {
    return convert<To>(widen(value));
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != From{};
  } else if constexpr (kIsComplex<To> && kIsComplex<From>) {
    return To(value);
  } else if constexpr (kIsComplex<From>) {
    return convert<To>(value.real());
  } else if constexpr (kIsComplex<To>) {
    return To(static_cast<typename To::value_type>(value));
  } else if constexpr (kIsHalf<To> && std::is_same_v<From, double>) {
    return To(round_to_odd(value));
  } else if constexpr (kIsHalf<To>) {
    return To(static_cast<float>(value));
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return real_to_integer<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

// Weak integers are held in 64 bits or, beyond these, as a double.
template <typename To, typename From>
void check_weak_integer(From value, DType dtype) {
  constexpr bool kIsWide =
      std::is_same_v<From, std::int64_t> || std::is_same_v<From, std::uint64_t>;
  constexpr bool kIsLarge = std::is_same_v<From, double>;
  if constexpr (std::is_integral_v<To> && !std::is_same_v<To, bool> && (kIsWide || kIsLarge)) {
    bool fits = false;
    if constexpr (kIsWide) fits = std::in_range<To>(value);
    if (!fits) {
      throw OverflowError(
          fmt::format("Python integer {} out of bounds for {}", value, name_of(dtype)));
    }
  }
}

template <typename T>
std::string real_to_string(T value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

}  // namespace

Scalar Scalar::weak(bool value) {
  Scalar result(value);
  result.weak_ = WeakKind::boolean;
  return result;
}

Scalar Scalar::weak(std::int64_t value) {
  Scalar result(value);
  result.weak_ = WeakKind::integer;
  return result;
}

Scalar Scalar::weak(std::uint64_t value) {
  Scalar result(value);
  result.weak_ = WeakKind::integer;
  return result;
}

Scalar Scalar::weak(double value) {
  Scalar result(value);
  result.weak_ = WeakKind::floating;
  return result;
}

Scalar Scalar::weak_large(double value) {
  Scalar result(value);
  result.weak_ = WeakKind::integer;
  return result;
}

Scalar Scalar::weak(std::complex<double> value) {
  Scalar result(value);
  result.weak_ = WeakKind::complex;
  return result;
}

Scalar Scalar::from_bytes(DType dtype, const void* bytes) {
  Scalar result;
  result.dtype_ = dtype;
  const auto copy = [&](auto size) { std::memcpy(result.bytes_.data(), bytes, size()); };
  switch (item_size(dtype)) {  // copies of a known size are no calls
    case 1:
      copy(std::integral_constant<std::size_t, 1>());
      break;
    case 2:
      copy(std::integral_constant<std::size_t, 2>());
      break;
    case 4:
      copy(std::integral_constant<std::size_t, 4>());
      break;
    case 8:
      copy(std::integral_constant<std::size_t, 8>());
      break;
    default:
      copy(std::integral_constant<std::size_t, 16>());
  }
  return result;
}

Scalar Scalar::cast(DType dtype) const {
  return dispatch_dtype(dtype_, [&](auto from) {
    using From = typename decltype(from)::type;
    return dispatch_dtype(dtype, [&](auto to) {
      using To = typename decltype(to)::type;
      const From value = get<From>();
      if (weak_ == WeakKind::integer) check_weak_integer<To>(value, dtype);
      return Scalar(convert<To>(value));
    });
  });
}

std::complex<double> Scalar::to_complex() const {
  return dispatch_dtype(dtype_, [&](auto tag) {
    return convert<std::complex<double>>(get<typename decltype(tag)::type>());
  });
}

std::string Scalar::to_string() const {
  return dispatch_dtype(dtype_, [&](auto tag) -> std::string {
    using T = typename decltype(tag)::type;
    const auto value = widen(get<T>());
    if constexpr (std::is_same_v<T, bool>) {
      return value ? "True" : "False";
    } else if constexpr (kIsComplex<T>) {
      return fmt::format("({}{:+}j)", value.real(), value.imag());
    } else if constexpr (std::is_integral_v<T>) {
      return fmt::format("{}", value);
    } else {
      return real_to_string(value);
    }
  });
}

}  // namespace cupola
