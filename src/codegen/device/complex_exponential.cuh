// Exponentials, logarithms, roots and powers of complex numbers, with the special values of C99
// Annex G. The complex64 forms compute in double and round once.
#ifndef CUPOLA_DEVICE_COMPLEX_EXPONENTIAL
#define CUPOLA_DEVICE_COMPLEX_EXPONENTIAL

#ifndef __CUDACC_RTC__
#include "codegen/device/complex_arithmetic.cuh"
#endif

namespace CUPOLA_DEVICE_NAMESPACE {

inline constexpr double kLn2 = 0.693147180559945309417;
inline constexpr double kPi = 3.14159265358979323846;

// The complex64 form of a complex128 function.
#define CUPOLA_COMPLEX64_FUNCTION(NAME)              \
  CUPOLA_FN complex64 NAME(complex64 a) {            \
    return cast<complex64>(NAME(cast<complex128>(a))); \
  }

// exp(x) * scale * factor, where exp(x) alone may overflow and scale is a power of two.
CUPOLA_FN double scaled_exp(double x, double scale, double factor) {
  if (x < 700.0) return exp(x) * scale * factor;
  const double half = exp(0.5 * x);
  return half * factor * (half * scale);
}

CUPOLA_FN complex128 exp(complex128 a) {
  if (a.im == 0.0) return {exp(a.re), a.im};
  if (!isfinite(a.im)) {
    if (a.re == -infinity<double>()) return {0.0, copysign(0.0, a.im)};
    return {a.re == infinity<double>() ? a.re : quiet_nan<double>(), quiet_nan<double>()};
  }
  return {scaled_exp(a.re, 1.0, cos(a.im)), scaled_exp(a.re, 1.0, sin(a.im))};
}

// log(hypot(x, y)) for 0.5 <= x*x + y*y <= 2 and x >= y >= 0: x*x + y*y - 1 in twice the precision.
CUPOLA_FN double log_hypot_near_one(double x, double y) {
  const double xx = x * x;
  const double yy = y * y;
  const double low = fused_multiply_add(x, x, -xx) + fused_multiply_add(y, y, -yy);
  const double shifted = xx - 1.0;
  const double sum = shifted + yy;
  const double part = sum - shifted;
  const double rest = (shifted - (sum - part)) + (yy - part);
  return 0.5 * log1p(sum + (rest + low));
}

CUPOLA_FN double log_hypot(double x, double y) {
  const double larger = maximum(absolute(x), absolute(y));
  const double smaller = minimum(absolute(x), absolute(y));
  if (larger > 0.7 && larger < 1.42) {
    const double norm = larger * larger + smaller * smaller;
    if (norm >= 0.5 && norm <= 2.0) return log_hypot_near_one(larger, smaller);
  }
  if (larger > 0x1p1022) return log(hypot(0.5 * x, 0.5 * y)) + kLn2;
  if (larger < 0x1p-960) return log(hypot(0x1p100 * x, 0x1p100 * y)) - 100.0 * kLn2;
  return log(hypot(x, y));
}

CUPOLA_FN complex128 log(complex128 a) { return {log_hypot(a.re, a.im), arctan2(a.im, a.re)}; }

// The root of a scaled number, both parts of which are far from overflow.
CUPOLA_FN complex128 scaled_sqrt(double x, double y, double scale) {
  const double root = sqrt(0.5 * (absolute(x) + hypot(x, y)));
  const double other = 0.5 * absolute(y) / root;
  if (x >= 0.0) return {root * scale, copysign(other * scale, y)};
  return {other * scale, copysign(root * scale, y)};
}

CUPOLA_FN complex128 sqrt(complex128 a) {
  if (a.re == 0.0 && a.im == 0.0) return {0.0, a.im};
  if (isinf(a.im)) return {infinity<double>(), a.im};
  if (isnan(a.re)) return {a.re, a.re};
  if (isinf(a.re)) {
    const double rest = isnan(a.im) ? a.im : copysign(0.0, a.im);
    if (a.re > 0.0) return {a.re, rest};
    return {absolute(rest), copysign(infinity<double>(), a.im)};
  }
  if (isnan(a.im)) return {a.im, a.im};
  const double larger = maximum(absolute(a.re), absolute(a.im));
  if (larger > 0x1p1020) return scaled_sqrt(0x1p-4 * a.re, 0x1p-4 * a.im, 4.0);
  if (larger < 0x1p-960) return scaled_sqrt(0x1p100 * a.re, 0x1p100 * a.im, 0x1p-50);
  return scaled_sqrt(a.re, a.im, 1.0);
}

CUPOLA_COMPLEX64_FUNCTION(exp)
CUPOLA_COMPLEX64_FUNCTION(log)
CUPOLA_COMPLEX64_FUNCTION(sqrt)

// As NumPy defines the rest of the family from these, in the operands' own precision.
template <typename T>
CUPOLA_FN complex<T> scale_by(complex<T> a, T factor) {
  return {a.re * factor, a.im * factor};
}
template <typename T>
CUPOLA_FN complex<T> exp2(complex<T> a) {
  return exp(scale_by(a, T(kLn2)));
}
template <typename T>
CUPOLA_FN complex<T> log2(complex<T> a) {
  return scale_by(log(a), T(1.442695040888963407360));
}
template <typename T>
CUPOLA_FN complex<T> log10(complex<T> a) {
  return scale_by(log(a), T(0.434294481903251827651));
}
template <typename T>
CUPOLA_FN complex<T> log1p(complex<T> a) {
  const T shifted = a.re + T(1);
  return {log(hypot(shifted, a.im)), arctan2(a.im, shifted)};
}
template <typename T>
CUPOLA_FN complex<T> expm1(complex<T> a) {
  const T half_sine = sin(a.im / T(2));
  return {expm1(a.re) * cos(a.im) - T(2) * half_sine * half_sine, exp(a.re) * sin(a.im)};
}

// a to the power of the small integer n, by squaring.
template <typename T>
CUPOLA_FN complex<T> integer_power(complex<T> a, int n) {
  complex<T> result{T(1), T(0)};
  bool first = true;
  for (int left = n < 0 ? -n : n; left != 0; left >>= 1) {
    if (left & 1) result = first ? a : multiply(result, a);
    if (left & 1) first = false;
    if (left > 1) a = multiply(a, a);
  }
  return n < 0 ? divide(complex<T>{T(1), T(0)}, result) : result;
}

template <typename T>
CUPOLA_FN complex<T> power(complex<T> a, complex<T> b) {
  if (b.re == T(0) && b.im == T(0)) return {T(1), T(0)};
  if (a.re == T(0) && a.im == T(0)) {
    const T value = b.re > T(0) ? T(0) : quiet_nan<T>();
    return {value, value};
  }
  if (b.im == T(0) && absolute(b.re) < T(100) && trunc(b.re) == b.re) {
    return integer_power(a, static_cast<int>(b.re));
  }
  const complex128 exponent = multiply(cast<complex128>(b), log(cast<complex128>(a)));
  return cast<complex<T>>(exp(exponent));
}

}  // namespace CUPOLA_DEVICE_NAMESPACE

#endif
