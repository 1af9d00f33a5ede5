// Comparison, logic and choice. Complex numbers are ordered by real, then by imaginary part, as
// NumPy orders them; nothing is ordered beside a NaN.
#ifndef CUPOLA_DEVICE_COMPARE
#define CUPOLA_DEVICE_COMPARE

#ifndef __CUDACC_RTC__
#include "codegen/device/float_parts.cuh"
#endif

namespace CUPOLA_DEVICE_NAMESPACE {

template <NotComplex T>
CUPOLA_FN bool less(T a, T b) {
  return a < b;
}
template <NotComplex T>
CUPOLA_FN bool less_equal(T a, T b) {
  return a <= b;
}
template <NotComplex T>
CUPOLA_FN bool equal(T a, T b) {
  return a == b;
}

// 64-bit integers of different sign, compared by value.
CUPOLA_FN bool less(int64_t a, uint64_t b) { return a < 0 || static_cast<uint64_t>(a) < b; }
CUPOLA_FN bool less(uint64_t a, int64_t b) { return b >= 0 && a < static_cast<uint64_t>(b); }
CUPOLA_FN bool less_equal(int64_t a, uint64_t b) { return !less(b, a); }
CUPOLA_FN bool less_equal(uint64_t a, int64_t b) { return !less(b, a); }
CUPOLA_FN bool equal(int64_t a, uint64_t b) { return a >= 0 && static_cast<uint64_t>(a) == b; }
CUPOLA_FN bool equal(uint64_t a, int64_t b) { return equal(b, a); }

template <typename T>
CUPOLA_FN bool less(complex<T> a, complex<T> b) {
  if (a.re == b.re) return a.im < b.im;
  return a.re < b.re && !isnan(a.im) && !isnan(b.im);
}
template <typename T>
CUPOLA_FN bool less_equal(complex<T> a, complex<T> b) {
  if (a.re == b.re) return a.im <= b.im;
  return a.re < b.re && !isnan(a.im) && !isnan(b.im);
}
template <typename T>
CUPOLA_FN bool equal(complex<T> a, complex<T> b) {
  return a.re == b.re && a.im == b.im;
}

template <typename A, typename B>
CUPOLA_FN bool greater(A a, B b) {
  return less(b, a);
}
template <typename A, typename B>
CUPOLA_FN bool greater_equal(A a, B b) {
  return less_equal(b, a);
}
template <typename A, typename B>
CUPOLA_FN bool not_equal(A a, B b) {
  return !equal(a, b);
}

// Without branches.
template <typename T>
CUPOLA_FN bool logical_and(T a, T b) {
  return cast<bool>(a) & cast<bool>(b);
}
template <typename T>
CUPOLA_FN bool logical_or(T a, T b) {
  return cast<bool>(a) | cast<bool>(b);
}
template <typename T>
CUPOLA_FN bool logical_xor(T a, T b) {
  return cast<bool>(a) != cast<bool>(b);
}
template <typename T>
CUPOLA_FN bool logical_not(T a) {
  return !cast<bool>(a);
}

CUPOLA_FN bool maximum(bool a, bool b) { return a | b; }
CUPOLA_FN bool minimum(bool a, bool b) { return a & b; }
CUPOLA_FN bool fmax(bool a, bool b) { return a | b; }
CUPOLA_FN bool fmin(bool a, bool b) { return a & b; }

// Of equal values, zeros of either sign included, the second: as x86's max and min instructions.
// Two choices, one after the other, are what compilers make vectors of.
template <NotComplex T>
CUPOLA_FN T maximum(T a, T b) {
  const T beyond = a > b ? a : b;
  return isnan(a) ? a : beyond;
}
template <NotComplex T>
CUPOLA_FN T minimum(T a, T b) {
  const T beyond = a < b ? a : b;
  return isnan(a) ? a : beyond;
}
template <NotComplex T>
CUPOLA_FN T fmax(T a, T b) {
  const T beyond = a > b ? a : b;
  return isnan(b) ? a : beyond;
}
template <NotComplex T>
CUPOLA_FN T fmin(T a, T b) {
  const T beyond = a < b ? a : b;
  return isnan(b) ? a : beyond;
}

template <typename T>
CUPOLA_FN complex<T> maximum(complex<T> a, complex<T> b) {
  return isnan(a) || less_equal(b, a) ? a : b;
}
template <typename T>
CUPOLA_FN complex<T> minimum(complex<T> a, complex<T> b) {
  return isnan(a) || less_equal(a, b) ? a : b;
}
template <typename T>
CUPOLA_FN complex<T> fmax(complex<T> a, complex<T> b) {
  return isnan(b) || less_equal(b, a) ? a : b;
}
template <typename T>
CUPOLA_FN complex<T> fmin(complex<T> a, complex<T> b) {
  return isnan(b) || less_equal(a, b) ? a : b;
}

}  // namespace CUPOLA_DEVICE_NAMESPACE

#endif
