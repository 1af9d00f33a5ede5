#pragma once
// One host value with a dtype: a fill value, an operand, an initial value, the result of item().

#include <array>
#include <complex>
#include <concepts>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "cupola/dtype.h"

namespace cupola {

class Scalar {
 public:
  Scalar() : Scalar(false) {}
  template <typename T, DType D = DTypeOf<T>::value>  // none for other types
  explicit Scalar(T value) : dtype_(D) {
    std::memcpy(bytes_.data(), &value, sizeof value);
  }
  // A Python-like scalar: it takes part in promotion with its kind only.
  static Scalar weak(bool value);
  static Scalar weak(std::int64_t value);
  static Scalar weak(std::uint64_t value);  // an integer beyond int64
  static Scalar weak(double value);
  // An integer beyond 64 bits, rounded: no integer dtype holds it.
  static Scalar weak_large(double value);
  static Scalar weak(std::complex<double> value);
  // item_size(dtype) bytes.
  static Scalar from_bytes(DType dtype, const void* bytes);

  DType dtype() const { return dtype_; }
  std::optional<WeakKind> weak_kind() const { return weak_; }
  const void* data() const { return bytes_.data(); }
  template <typename T>
  T get() const {  // T must be the C++ type of dtype()
    T value;
    std::memcpy(&value, bytes_.data(), sizeof value);
    return value;
  }
  // As NumPy's astype (casting="unsafe"). A weak integer that does not fit the integer `dtype`
  // throws OverflowError, as NumPy does.
  Scalar cast(DType dtype) const;
  std::complex<double> to_complex() const;
  // Of the same dtype, to the bit: a NaN may be, 0 and -0 are not.
  bool is_same(const Scalar& other) const {
    return dtype_ == other.dtype_ && bytes_ == other.bytes_;
  }
  std::string to_string() const;

 private:
  DType dtype_;
  std::optional<WeakKind> weak_;
  alignas(16) std::array<unsigned char, 16> bytes_{};
};

namespace detail {
template <typename T, typename... Others>
concept OneOf = (std::same_as<T, Others> || ...);
}  // namespace detail

// Characters are none.
template <typename T>
concept CppNumber =
    (std::integral<T> && !detail::OneOf<T, char, wchar_t, char8_t, char16_t, char32_t>) ||
    std::floating_point<T> || detail::OneOf<T, std::complex<float>, std::complex<double>>;

// A number as an argument. C++ numbers are Python's numbers, whatever their size: bool, int, float
// and complex, which adapt to the dtype of arrays beside them, and make bool, int64, float64 and
// complex128 by themselves. A Scalar counts with its dtype, as NumPy's scalars do.
class Number {
 public:
  Number(const Scalar& scalar) : scalar_(scalar) {}
  template <CppNumber T>
  Number(T value) : scalar_(weak(value)) {}
  operator const Scalar&() const { return scalar_; }

 private:
  template <typename T>
  static Scalar weak(T value) {
    if constexpr (std::same_as<T, bool>) {
      return Scalar::weak(value);
    } else if constexpr (std::integral<T>) {
      if (std::in_range<std::int64_t>(value)) return Scalar::weak(static_cast<std::int64_t>(value));
      return Scalar::weak(static_cast<std::uint64_t>(value));
    } else if constexpr (std::floating_point<T>) {
      return Scalar::weak(static_cast<double>(value));
    } else {
      return Scalar::weak(std::complex<double>(value));
    }
  }
  Scalar scalar_;
};

}  // namespace cupola
