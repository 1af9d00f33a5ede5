// Functions of real numbers: the C library's (libdevice's on CUDA) where they exist, with NumPy's
// special values.
#ifndef CUPOLA_DEVICE_FLOAT_MATH
#define CUPOLA_DEVICE_FLOAT_MATH

#ifndef __CUDACC_RTC__
#include "codegen/device/arithmetic.cuh"
#endif

namespace CUPOLA_DEVICE_NAMESPACE {

// Our name, C's name (float's has an f at the end).
#define CUPOLA_REAL_FUNCTION(NAME, C_NAME)                 \
  CUPOLA_FN float NAME(float a) { return ::C_NAME##f(a); } \
  CUPOLA_FN double NAME(double a) { return ::C_NAME(a); }
#define CUPOLA_REAL_FUNCTION_2(NAME, C_NAME)                           \
  CUPOLA_FN float NAME(float a, float b) { return ::C_NAME##f(a, b); } \
  CUPOLA_FN double NAME(double a, double b) { return ::C_NAME(a, b); }

CUPOLA_REAL_FUNCTION(absolute, fabs)
CUPOLA_REAL_FUNCTION(rint, rint)
CUPOLA_REAL_FUNCTION(floor, floor)
CUPOLA_REAL_FUNCTION(ceil, ceil)
CUPOLA_REAL_FUNCTION(trunc, trunc)
CUPOLA_REAL_FUNCTION(sqrt, sqrt)
CUPOLA_REAL_FUNCTION(cbrt, cbrt)
CUPOLA_REAL_FUNCTION(exp, exp)
CUPOLA_REAL_FUNCTION(exp2, exp2)
CUPOLA_REAL_FUNCTION(expm1, expm1)
CUPOLA_REAL_FUNCTION(log, log)
CUPOLA_REAL_FUNCTION(log2, log2)
CUPOLA_REAL_FUNCTION(log10, log10)
CUPOLA_REAL_FUNCTION(log1p, log1p)
CUPOLA_REAL_FUNCTION(sin, sin)
CUPOLA_REAL_FUNCTION(cos, cos)
CUPOLA_REAL_FUNCTION(tan, tan)
CUPOLA_REAL_FUNCTION(arcsin, asin)
CUPOLA_REAL_FUNCTION(arccos, acos)
CUPOLA_REAL_FUNCTION(arctan, atan)
CUPOLA_REAL_FUNCTION(sinh, sinh)
CUPOLA_REAL_FUNCTION(cosh, cosh)
CUPOLA_REAL_FUNCTION(tanh, tanh)
CUPOLA_REAL_FUNCTION(arcsinh, asinh)
CUPOLA_REAL_FUNCTION(arccosh, acosh)
CUPOLA_REAL_FUNCTION(arctanh, atanh)
CUPOLA_REAL_FUNCTION_2(power, pow)
CUPOLA_REAL_FUNCTION_2(fmod, fmod)
CUPOLA_REAL_FUNCTION_2(arctan2, atan2)
CUPOLA_REAL_FUNCTION_2(hypot, hypot)
CUPOLA_REAL_FUNCTION_2(copysign, copysign)

#undef CUPOLA_REAL_FUNCTION
#undef CUPOLA_REAL_FUNCTION_2

CUPOLA_FN double fused_multiply_add(double a, double b, double c) { return ::fma(a, b, c); }

// The quotient of two floats that are float16 values, such that rounding to float16 gives what the
// exact one does; `reciprocal` is 1 / b up to one unit in its last place. One step of Newton's is
// exact where the quotient is a float, and no other quotient is near a tie of float16.
CUPOLA_FN float refined_half_quotient(float a, float b, float reciprocal) {
  const float near = a * reciprocal;
  const float rest = ::fmaf(-b, near, a);  // NaN where near is zero, infinite or NaN for good
  return ::fabsf(rest) > 0 ? ::fmaf(rest, reciprocal, near) : near;
}
CUPOLA_FN float divide_halves(float a, float b) {
#ifdef __CUDA_ARCH__
  float reciprocal;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(reciprocal) : "f"(b));
  return refined_half_quotient(a, b, reciprocal);
#else
  return a / b;
#endif
}

// Integers and bool are their own integer part.
template <BoolOrInteger T>
CUPOLA_FN T floor(T a) {
  return a;
}
template <BoolOrInteger T>
CUPOLA_FN T ceil(T a) {
  return a;
}
template <BoolOrInteger T>
CUPOLA_FN T trunc(T a) {
  return a;
}

// remainder and floor_divide as Python defines them: a == b * quotient + rest, rest with the sign
// of b. The quotient is computed from the exact remainder.
template <Real T>
CUPOLA_FN T remainder(T a, T b) {
  const T rest = fmod(a, b);
  if (b == T(0)) return rest;
  if (rest == T(0)) return copysign(T(0), b);
  return (b < T(0)) != (rest < T(0)) ? rest + b : rest;
}
template <Real T>
CUPOLA_FN T floor_divide(T a, T b) {
  if (b == T(0)) return a / b;
  const T rest = fmod(a, b);
  T quotient = (a - rest) / b;
  if (rest != T(0) && (b < T(0)) != (rest < T(0))) quotient -= T(1);
  if (quotient == T(0)) return copysign(T(0), a / b);
  const T whole = floor(quotient);
  return quotient - whole > T(0.5) ? whole + T(1) : whole;
}

template <Real T>
CUPOLA_FN T heaviside(T a, T b) {
  if (a != a) return a;
  if (a == T(0)) return b;
  return a < T(0) ? T(0) : T(1);
}

template <Real T>
CUPOLA_FN T degrees(T a) {
  return a * (T(180) / T(3.14159265358979323846));
}
template <Real T>
CUPOLA_FN T radians(T a) {
  return a * (T(3.14159265358979323846) / T(180));
}

// The larger operand plus what the smaller one adds; equal infinities stay, NaN comes through.
template <Real T>
CUPOLA_FN T logaddexp(T a, T b) {
  if (a == b) return a + T(0.693147180559945309417);
  const T difference = a - b;
  if (difference > T(0)) return a + log1p(exp(-difference));
  return difference <= T(0) ? b + log1p(exp(difference)) : difference;
}
template <Real T>
CUPOLA_FN T logaddexp2(T a, T b) {
  constexpr T kLog2E = T(1.442695040888963407360);
  if (a == b) return a + T(1);
  const T difference = a - b;
  if (difference > T(0)) return a + kLog2E * log1p(exp2(-difference));
  return difference <= T(0) ? b + kLog2E * log1p(exp2(difference)) : difference;
}

}  // namespace CUPOLA_DEVICE_NAMESPACE

#endif
