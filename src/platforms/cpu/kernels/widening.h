#pragma once
// 64-bit integers to real numbers where there is no instruction for vectors of them.

#include "platforms/cpu/kernels/target.h"

namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

template <typename T>
concept LongInteger = Integer<T> && sizeof(T) == 8;

// The halves behind the bits of large powers of two, of which the first one is taken away exactly,
// so that the sum is rounded once.
template <LongInteger T>
[[gnu::always_inline]] inline double nearest_double(T value) {
  constexpr bool kSigned = SignedInteger<T>;
  constexpr auto kHighBits = uint64_t{0x4530000000000000} | (kSigned ? uint64_t{1} << 31 : 0);
  constexpr double kHigh = 0x1p84 + (kSigned ? 0x1p63 : 0.0) + 0x1p52;
  const auto bits = static_cast<uint64_t>(value);
  const auto low = bit_cast<double>((bits & 0xffffffff) | uint64_t{0x4330000000000000});
  const auto high = bit_cast<double>((bits >> 32) ^ kHighBits);
  return (high - kHigh) + low;
}

// Whether float64 holds all of them, so that float32 is rounded once by way of it.
template <LongInteger T>
[[gnu::always_inline]] inline bool fit_doubles(const T* values, int64_t count) {
  constexpr uint64_t kLeast = SignedInteger<T> ? uint64_t{1} << 53 : 0;
  uint64_t bits = 0;
  for (int64_t i = 0; i < count; ++i) bits |= static_cast<uint64_t>(values[i]) + kLeast;
  return bits >> (SignedInteger<T> ? 54 : 53) == 0;
}

template <LongInteger From>
void widen_long(const From* from, double* to, int64_t count) {
  CUPOLA_CPU_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) to[i] = nearest_double(from[i]);
}

template <LongInteger From>
void widen_long(const From* from, float* to, int64_t count) {
  constexpr int64_t kBlock = 256;
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t end = begin + kBlock < count ? begin + kBlock : count;
    if (fit_doubles(from + begin, end - begin)) {
      CUPOLA_CPU_INDEPENDENT
      for (int64_t i = begin; i < end; ++i) to[i] = static_cast<float>(nearest_double(from[i]));
    } else {
      for (int64_t i = begin; i < end; ++i) to[i] = static_cast<float>(from[i]);
    }
  }
}

template <LongInteger From, typename Part>
void widen_long(const From* from, complex<Part>* to, int64_t count) {
  constexpr int64_t kBlock = 256;
  Part parts[kBlock];
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t size = count - begin < kBlock ? count - begin : kBlock;
    widen_long(from + begin, parts, size);
    CUPOLA_CPU_INDEPENDENT
    for (int64_t i = 0; i < size; ++i) to[begin + i] = {parts[i], Part(0)};
  }
}

#ifdef __AVX512DQ__
template <typename To, typename From>
constexpr bool kWidensLong = false;
#else
template <typename To, typename From>
constexpr bool kWidensLong = LongInteger<From> && !is_half<To> && (Real<To> || is_complex<To>);
#endif

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE
