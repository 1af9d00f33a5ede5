// Bitwise operations on bool and integers. Shifts by the width or more, or by a negative count,
// move everything out.
#ifndef CUPOLA_DEVICE_BITS
#define CUPOLA_DEVICE_BITS

#ifndef __CUDACC_RTC__
#include "codegen/device/arithmetic.cuh"
#endif

namespace CUPOLA_DEVICE_NAMESPACE {

template <BoolOrInteger T>
CUPOLA_FN T bitwise_and(T a, T b) {
  return static_cast<T>(a & b);
}
template <BoolOrInteger T>
CUPOLA_FN T bitwise_or(T a, T b) {
  return static_cast<T>(a | b);
}
template <BoolOrInteger T>
CUPOLA_FN T bitwise_xor(T a, T b) {
  return static_cast<T>(a ^ b);
}
CUPOLA_FN bool invert(bool a) { return !a; }
template <Integer T>
CUPOLA_FN T invert(T a) {
  return static_cast<T>(~a);
}

template <Integer T>
CUPOLA_FN bool is_shift_count(T count) {
  return static_cast<wrap_t<T>>(count) < 8 * sizeof(T);
}
template <Integer T>
CUPOLA_FN T left_shift(T a, T count) {
  return is_shift_count(count) ? static_cast<T>(static_cast<wrap_t<T>>(a) << count) : T(0);
}
template <Integer T>
CUPOLA_FN T right_shift(T a, T count) {
  if (is_shift_count(count)) return static_cast<T>(a >> count);
  return is_negative(a) ? static_cast<T>(-1) : T(0);
}

template <Integer T>
CUPOLA_FN uint8_t bitwise_count(T a) {
  const uint64_t bits = magnitude(a);
#ifdef __CUDA_ARCH__
  return static_cast<uint8_t>(__popcll(bits));
#else
  return static_cast<uint8_t>(__builtin_popcountll(bits));
#endif
}

}  // namespace CUPOLA_DEVICE_NAMESPACE

#endif
