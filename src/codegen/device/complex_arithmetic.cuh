// Arithmetic of complex numbers, by NumPy's formulas: products and quotients are not repaired
// where an infinity meets a zero. Each product is rounded before it is added: no FMA.
#ifndef CUPOLA_DEVICE_COMPLEX_ARITHMETIC
#define CUPOLA_DEVICE_COMPLEX_ARITHMETIC

#ifndef __CUDACC_RTC__
#include "codegen/device/compare.cuh"
#endif

namespace CUPOLA_DEVICE_NAMESPACE {

// The rounded product. GCC's vectoriser makes fmaddsub of alternating sums and differences even
// with -ffp-contract=off; the barrier keeps it from seeing the multiplication.
template <typename T>
CUPOLA_FN T rounded_product(T a, T b) {
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__) && !defined(__CUDACC_RTC__)
  return __builtin_assoc_barrier(a * b);
#else
  return a * b;
#endif
}

template <typename T>
CUPOLA_FN complex<T> add(complex<T> a, complex<T> b) {
  return {a.re + b.re, a.im + b.im};
}
template <typename T>
CUPOLA_FN complex<T> subtract(complex<T> a, complex<T> b) {
  return {a.re - b.re, a.im - b.im};
}
template <typename T>
CUPOLA_FN complex<T> multiply(complex<T> a, complex<T> b) {
  return {rounded_product(a.re, b.re) - rounded_product(a.im, b.im),
          rounded_product(a.re, b.im) + rounded_product(a.im, b.re)};
}
template <typename T>
CUPOLA_FN complex<T> negative(complex<T> a) {
  return {-a.re, -a.im};
}
template <typename T>
CUPOLA_FN complex<T> conjugate(complex<T> a) {
  return {a.re, -a.im};
}
template <typename T>
CUPOLA_FN T absolute(complex<T> a) {
  return hypot(a.re, a.im);
}
template <typename T>
CUPOLA_FN complex<T> rint(complex<T> a) {
  return {rint(a.re), rint(a.im)};
}

// Smith's method: scaled by the larger part of the divisor (R. L. Smith, CACM 5(8), 1962).
template <typename T>
CUPOLA_FN complex<T> divide(complex<T> a, complex<T> b) {
  if (b.re == T(0) && b.im == T(0)) return {a.re / absolute(b.re), a.im / absolute(b.re)};
  if (absolute(b.re) >= absolute(b.im)) {
    const T ratio = b.im / b.re;
    const T scale = T(1) / (b.re + rounded_product(b.im, ratio));
    return {(a.re + rounded_product(a.im, ratio)) * scale,
            (a.im - rounded_product(a.re, ratio)) * scale};
  }
  const T ratio = b.re / b.im;
  const T scale = T(1) / (b.im + rounded_product(b.re, ratio));
  return {(rounded_product(a.re, ratio) + a.im) * scale,
          (rounded_product(a.im, ratio) - a.re) * scale};
}

template <typename T>
CUPOLA_FN complex<T> reciprocal(complex<T> a) {
  if (absolute(a.im) <= absolute(a.re)) {
    const T ratio = a.im / a.re;
    const T divisor = a.re + a.im * ratio;
    return {T(1) / divisor, -ratio / divisor};
  }
  const T ratio = a.re / a.im;
  const T divisor = a.re * ratio + a.im;
  return {ratio / divisor, T(-1) / divisor};
}

// The point of the unit circle in the direction of `a`; 0 for 0.
template <typename T>
CUPOLA_FN complex<T> sign(complex<T> a) {
  const T size = absolute(a);
  if (isnan(size)) return {size, size};
  if (isinf(size)) {
    if (isinf(a.re) && isinf(a.im)) return {quiet_nan<T>(), quiet_nan<T>()};
    return isinf(a.re) ? complex<T>{copysign(T(1), a.re), T(0)}
                       : complex<T>{T(0), copysign(T(1), a.im)};
  }
  if (size == T(0)) return {T(0), T(0)};
  return {a.re / size, a.im / size};
}

}  // namespace CUPOLA_DEVICE_NAMESPACE

#endif
