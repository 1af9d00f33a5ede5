#pragma once
// remainder and floor_divide of floating-point numbers, by FMA: where the quotient has fewer bits
// than a mantissa, a - q * b is known as well as it can be stored.

#include "platforms/cpu/kernels/target.h"

namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

[[gnu::always_inline]] inline float product_and_sum(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
[[gnu::always_inline]] inline double product_and_sum(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}

template <typename T>
struct FloorDivision {
  static constexpr T kMax = sizeof(T) == 4 ? T(0x1p22) : T(0x1p51);

  // Whether the quotient is exact; no NaN and no infinite number passes.
  [[gnu::always_inline]] static bool holds(T a, T b) {
    return static_cast<bool>(static_cast<int>(absolute(a / b) <= kMax) &
                             static_cast<int>(absolute(b) < infinity<T>()));
  }

  [[gnu::always_inline]] FloorDivision(T a, T b) {
    const T near = floor(a / b);
    const T first = product_and_sum(-near, b, a);
    // The quotient was rounded up to a whole number.
    const bool above = first != 0 && ((first < 0) != (b < 0));
    quotient = above ? near - T(1) : near;
    const T exact = above ? product_and_sum(-quotient, b, a) : first;
    rest = exact == 0 ? copysign(T(0), b) : exact;
  }

  T quotient, rest;
};

template <bool IsQuotient, typename T>
void floor_division_loop(const void* const* inputs, void* output, int64_t count) {
  constexpr int64_t kBlock = 64;
  const auto* a = static_cast<const T*>(inputs[0]);
  const auto* b = static_cast<const T*>(inputs[1]);
  auto* out = static_cast<T*>(output);
  const auto value = [](T x, T y) {
    const FloorDivision<T> both(x, y);
    return IsQuotient ? both.quotient : both.rest;
  };
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t end = begin + kBlock < count ? begin + kBlock : count;
    int others = 0;
    for (int64_t i = begin; i < end; ++i) {
      others |= static_cast<int>(!FloorDivision<T>::holds(a[i], b[i]));
    }
    if (others == 0) {
      CUPOLA_CPU_INDEPENDENT
      for (int64_t i = begin; i < end; ++i) out[i] = value(a[i], b[i]);
      continue;
    }
    for (int64_t i = begin; i < end; ++i) {
      const T other = IsQuotient ? floor_divide(a[i], b[i]) : remainder(a[i], b[i]);
      out[i] = FloorDivision<T>::holds(a[i], b[i]) ? value(a[i], b[i]) : other;
    }
  }
}

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE
