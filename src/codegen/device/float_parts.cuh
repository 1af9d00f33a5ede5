// Tests and parts of floating-point numbers: sign, exponent, neighbours.
#ifndef CUPOLA_DEVICE_FLOAT_PARTS
#define CUPOLA_DEVICE_FLOAT_PARTS

#ifndef __CUDACC_RTC__
#include "codegen/device/float_math.cuh"
#endif

namespace CUPOLA_DEVICE_NAMESPACE {

template <NotComplex T>
CUPOLA_FN bool isnan(T a) {
  return a != a;
}
template <NotComplex T>
CUPOLA_FN bool isinf(T a) {
  if constexpr (Real<T>) {
    return absolute(a) == infinity<T>();
  } else {
    return false;
  }
}
template <NotComplex T>
CUPOLA_FN bool isfinite(T a) {
  if constexpr (Real<T>) {
    return absolute(a) < infinity<T>();
  } else {
    return true;
  }
}
template <typename T>
CUPOLA_FN bool isnan(complex<T> a) {
  return isnan(a.re) || isnan(a.im);
}
template <typename T>
CUPOLA_FN bool isinf(complex<T> a) {
  return isinf(a.re) || isinf(a.im);
}
template <typename T>
CUPOLA_FN bool isfinite(complex<T> a) {
  return isfinite(a.re) && isfinite(a.im);
}

template <Real T>
CUPOLA_FN bool signbit(T a) {
  return bit_cast<unsigned_t<T>>(a) >> (8 * sizeof(T) - 1) != 0;
}

template <Real T>
CUPOLA_FN T modf_integer(T a) {
  return trunc(a);
}
template <Real T>
CUPOLA_FN T modf_fraction(T a) {
  return copysign(isinf(a) ? T(0) : a - trunc(a), a);
}

CUPOLA_FN float split_exponent(float a, int* exponent) { return ::frexpf(a, exponent); }
CUPOLA_FN double split_exponent(double a, int* exponent) { return ::frexp(a, exponent); }
template <Real T>
CUPOLA_FN T frexp_mantissa(T a) {
  int exponent = 0;
  return isfinite(a) ? split_exponent(a, &exponent) : a;
}
template <Real T>
CUPOLA_FN int32_t frexp_exponent(T a) {
  int exponent = 0;
  if (isfinite(a)) split_exponent(a, &exponent);
  return exponent;
}

CUPOLA_FN float scale_exponent(float a, int exponent) { return ::ldexpf(a, exponent); }
CUPOLA_FN double scale_exponent(double a, int exponent) { return ::ldexp(a, exponent); }
template <Real T, SignedInteger Exponent>
CUPOLA_FN T ldexp(T a, Exponent exponent) {
  // Beyond this every value is zero or infinite already.
  constexpr Exponent kLimit = 10000;
  const Exponent clamped = exponent > kLimit ? kLimit : (exponent < -kLimit ? -kLimit : exponent);
  return scale_exponent(a, static_cast<int>(clamped));
}

CUPOLA_FN float nextafter(float a, float b) { return ::nextafterf(a, b); }
CUPOLA_FN double nextafter(double a, double b) { return ::nextafter(a, b); }

// Both 16-bit formats are sign and magnitude: the next value away from zero is one more.
template <Half T>
CUPOLA_FN T nextafter(T a, T b) {
  const float from = to_float(a);
  const float to = to_float(b);
  if (from != from) return a;
  if (to != to || from == to) return b;
  const uint16_t sign = to > 0.0f ? 0 : 0x8000u;
  if (from == 0.0f) return T{static_cast<uint16_t>(sign | 1u)};
  const bool grows = (to > from) == (from > 0.0f);
  return T{static_cast<uint16_t>(grows ? a.bits + 1 : a.bits - 1)};
}

// Distance to the next value away from zero, with the sign of `a`.
template <Real T>
CUPOLA_FN T spacing(T a) {
  if (!isfinite(a)) return quiet_nan<T>();
  using Bits = unsigned_t<T>;
  if (a == T(0)) return bit_cast<T>(Bits(1));
  return bit_cast<T>(static_cast<Bits>(bit_cast<Bits>(a) + 1)) - a;
}
CUPOLA_FN bfloat16 spacing(bfloat16 a) {
  const float value = to_float(a);
  if (!isfinite(value)) return to_bfloat16(quiet_nan<float>());
  if (value == 0.0f) return bfloat16{1};
  return to_bfloat16(to_float(bfloat16{static_cast<uint16_t>(a.bits + 1)}) - value);
}
// Of float16 NumPy gives the distance to the next value upwards, which is positive.
CUPOLA_FN float16 spacing(float16 a) {
  const float value = to_float(a);
  if (!isfinite(value)) return to_float16(quiet_nan<float>());
  const float16 above = nextafter(a, to_float16(infinity<float>()));
  return to_float16(to_float(above) - value);
}

}  // namespace CUPOLA_DEVICE_NAMESPACE

#endif
