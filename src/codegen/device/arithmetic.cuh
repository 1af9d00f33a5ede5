// Arithmetic on bool, integers and real numbers. Integers wrap around; dividing one by zero
// gives zero.
#ifndef CUPOLA_DEVICE_ARITHMETIC
#define CUPOLA_DEVICE_ARITHMETIC

#ifndef __CUDACC_RTC__
#include "codegen/device/cast.cuh"
#endif

namespace CUPOLA_DEVICE_NAMESPACE {

CUPOLA_FN bool add(bool a, bool b) { return a || b; }
CUPOLA_FN bool multiply(bool a, bool b) { return a && b; }
CUPOLA_FN bool absolute(bool a) { return a; }

template <Integer T>
CUPOLA_FN T add(T a, T b) {
  return static_cast<T>(static_cast<wrap_t<T>>(a) + static_cast<wrap_t<T>>(b));
}
template <Integer T>
CUPOLA_FN T subtract(T a, T b) {
  return static_cast<T>(static_cast<wrap_t<T>>(a) - static_cast<wrap_t<T>>(b));
}
template <Integer T>
CUPOLA_FN T multiply(T a, T b) {
  return static_cast<T>(static_cast<wrap_t<T>>(a) * static_cast<wrap_t<T>>(b));
}
template <Integer T>
CUPOLA_FN T negative(T a) {
  return static_cast<T>(wrap_t<T>(0) - static_cast<wrap_t<T>>(a));
}
template <Integer T>
CUPOLA_FN T absolute(T a) {
  return is_negative(a) ? negative(a) : a;
}
template <Integer T>
CUPOLA_FN T sign(T a) {
  return is_negative(a) ? static_cast<T>(-1) : T(a != T(0));
}
template <Integer T>
CUPOLA_FN T conjugate(T a) {
  return a;
}

// The quotient truncated towards zero; 0 for a divisor of 0, wrapped for lowest / -1.
template <Integer T>
CUPOLA_FN T truncated_quotient(T a, T b) {
  if (b == T(0)) return T(0);
  if (SignedInteger<T> && b == static_cast<T>(-1)) return negative(a);
  return static_cast<T>(a / b);
}
// The remainder of truncated_quotient, with the sign of `a`; 0 for a divisor of 0.
template <Integer T>
CUPOLA_FN T fmod(T a, T b) {
  if (b == T(0) || (SignedInteger<T> && b == static_cast<T>(-1))) return T(0);
  return static_cast<T>(a % b);
}
template <Integer T>
CUPOLA_FN T floor_divide(T a, T b) {
  const T quotient = truncated_quotient(a, b);
  const bool below = fmod(a, b) != T(0) && is_negative(a) != is_negative(b);
  return static_cast<T>(quotient - (below ? 1 : 0));
}
template <Integer T>
CUPOLA_FN T remainder(T a, T b) {
  const T rest = fmod(a, b);
  const bool below = rest != T(0) && is_negative(a) != is_negative(b);
  return below ? static_cast<T>(rest + b) : rest;
}

// By squaring. A negative exponent, which NumPy refuses, gives the truncated value.
template <Integer T>
CUPOLA_FN T power(T a, T b) {
  if (is_negative(b)) {
    if (a == T(1)) return T(1);
    return a == static_cast<T>(-1) ? static_cast<T>(b % 2 == 0 ? 1 : -1) : T(0);
  }
  T result = 1;
  for (T base = a, left = b; left != T(0); left = static_cast<T>(left >> 1)) {
    if (left & 1) result = multiply(result, base);
    base = multiply(base, base);
  }
  return result;
}
template <Integer T>
CUPOLA_FN T reciprocal(T a) {
  if (a == T(0)) return cast<T>(infinity<double>());
  if (a == T(1)) return T(1);
  return SignedInteger<T> && a == static_cast<T>(-1) ? a : T(0);
}

// The magnitude, which the unsigned type always holds.
template <Integer T>
CUPOLA_FN unsigned_t<T> magnitude(T a) {
  return static_cast<unsigned_t<T>>(absolute(a));
}
template <Integer T>
CUPOLA_FN T gcd(T a, T b) {
  unsigned_t<T> x = magnitude(a);
  unsigned_t<T> y = magnitude(b);
  while (y != 0) {
    const auto rest = static_cast<unsigned_t<T>>(x % y);
    x = y;
    y = rest;
  }
  return static_cast<T>(x);
}
template <Integer T>
CUPOLA_FN T lcm(T a, T b) {
  const auto divisor = static_cast<unsigned_t<T>>(gcd(a, b));
  if (divisor == 0) return T(0);
  const auto factor = static_cast<unsigned_t<T>>(magnitude(a) / divisor);
  return static_cast<T>(multiply(factor, magnitude(b)));
}

template <Real T>
CUPOLA_FN T add(T a, T b) {
  return a + b;
}
template <Real T>
CUPOLA_FN T subtract(T a, T b) {
  return a - b;
}
template <Real T>
CUPOLA_FN T multiply(T a, T b) {
  return a * b;
}
template <Real T>
CUPOLA_FN T divide(T a, T b) {
  return a / b;
}
template <Real T>
CUPOLA_FN T negative(T a) {
  return -a;
}
template <Real T>
CUPOLA_FN T conjugate(T a) {
  return a;
}
template <Real T>
CUPOLA_FN T reciprocal(T a) {
  return T(1) / a;
}
// NaN stays, both zeros give +0.
template <Real T>
CUPOLA_FN T sign(T a) {
  if (a > T(0)) return T(1);
  if (a < T(0)) return T(-1);
  return a == T(0) ? T(0) : a;
}

template <typename T>
CUPOLA_FN T square(T a) {
  return multiply(a, a);
}

}  // namespace CUPOLA_DEVICE_NAMESPACE

#endif
