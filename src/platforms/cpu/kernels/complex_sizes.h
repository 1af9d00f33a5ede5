#pragma once
// Sizes of complex numbers. Each depends on its number alone, whatever stands beside it.

#include "platforms/cpu/kernels/wide.h"

#ifdef __FMA__
#include <immintrin.h>
#endif

namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

// By float64, which holds the squares.
[[gnu::always_inline]] inline float wide_size(const float* parts) {
  const double re = parts[0], im = parts[1];
  const bool is_infinite = absolute(re) == infinity<double>() || absolute(im) == infinity<double>();
  return is_infinite ? infinity<float>() : static_cast<float>(sqrt(re * re + im * im));
}

#ifdef __FMA__

// Parts within which squares, and what rounding takes from them, are normal numbers of float32.
constexpr float kMinSize = 0x1p-30f, kMaxSize = 0x1p60f;
constexpr float kLeastSquare = 0x1p-100f;  // that has a reciprocal, in place of zero

#ifdef __AVX512DQ__
constexpr int kSizes = 16;
using Sizes = Floats;

[[gnu::always_inline]] inline Sizes larger_of(Sizes a, Sizes b) {
  return _mm512_maskz_max_ps(kAllFloats, a, b);
}
[[gnu::always_inline]] inline Sizes smaller_of(Sizes a, Sizes b) {
  return _mm512_maskz_min_ps(kAllFloats, a, b);
}
// Of a square: near its root, and near the reciprocal of that.
[[gnu::always_inline]] inline void near_root(Sizes square, Sizes& root, Sizes& inverse) {
  inverse = _mm512_maskz_rsqrt14_ps(kAllFloats, larger_of(square, all_of(kLeastSquare)));
  root = square * inverse;
}
[[gnu::always_inline]] inline unsigned other_sizes(Sizes sum, Sizes larger) {
  const __mmask16 nonzero = _mm512_cmp_ps_mask(larger, all_of(0.0f), _CMP_NEQ_UQ);
  return _mm512_cmp_ps_mask(sum, all_of(kMaxSize), _CMP_NLE_UQ) |
         _mm512_mask_cmp_ps_mask(nonzero, larger, all_of(kMinSize), _CMP_LT_OQ);
}
[[gnu::always_inline]] inline void take_apart(const float* parts, Sizes& re, Sizes& im) {
  const Sizes a = _mm512_loadu_ps(parts), b = _mm512_loadu_ps(parts + 16);
  re = __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  im = __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
}
#else
constexpr int kSizes = 8;
using Sizes = __m256;

[[gnu::always_inline]] inline Sizes all_of(float value) { return _mm256_set1_ps(value); }
[[gnu::always_inline]] inline Sizes fused(Sizes a, Sizes b, Sizes c) {
  return _mm256_fmadd_ps(a, b, c);
}
[[gnu::always_inline]] inline Sizes fused_away(Sizes a, Sizes b, Sizes c) {
  return _mm256_fnmadd_ps(a, b, c);
}
[[gnu::always_inline]] inline Sizes size_of(Sizes value) {
  return _mm256_andnot_ps(all_of(-0.0f), value);
}
[[gnu::always_inline]] inline Sizes larger_of(Sizes a, Sizes b) { return _mm256_max_ps(a, b); }
[[gnu::always_inline]] inline Sizes smaller_of(Sizes a, Sizes b) { return _mm256_min_ps(a, b); }
[[gnu::always_inline]] inline void near_root(Sizes square, Sizes& root, Sizes& inverse) {
  inverse = _mm256_rsqrt_ps(larger_of(square, all_of(kLeastSquare)));
  root = _mm256_sqrt_ps(square);
}
[[gnu::always_inline]] inline unsigned other_sizes(Sizes sum, Sizes larger) {
  const Sizes small = _mm256_and_ps(_mm256_cmp_ps(larger, all_of(kMinSize), _CMP_LT_OQ),
                                    _mm256_cmp_ps(larger, all_of(0.0f), _CMP_NEQ_UQ));
  const Sizes others = _mm256_or_ps(_mm256_cmp_ps(sum, all_of(kMaxSize), _CMP_NLE_UQ), small);
  return static_cast<unsigned>(_mm256_movemask_ps(others));
}
[[gnu::always_inline]] inline void take_apart(const float* parts, Sizes& re, Sizes& im) {
  const Sizes a = _mm256_loadu_ps(parts), b = _mm256_loadu_ps(parts + 8);
  re = __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14);
  im = __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15);
}
#endif

// Replaces the sizes whose bits are set in `others`.
[[gnu::noinline]] inline void put_wide_sizes(const float* parts, float* out, unsigned others) {
  float sizes[kSizes];
  CUPOLA_CPU_INDEPENDENT
  for (int i = 0; i < kSizes; ++i) sizes[i] = wide_size(parts + 2 * i);
  for (; others != 0; others &= others - 1) {
    out[__builtin_ctz(others)] = sizes[__builtin_ctz(others)];
  }
}

// In float32, of what rounding took from the squares as well, as far as both are normal numbers.
[[gnu::always_inline]] inline void put_sizes(const float* parts, float* out) {
  Sizes re, im, near, inverse;
  take_apart(parts, re, im);
  re = size_of(re);
  im = size_of(im);
  const Sizes larger = larger_of(re, im), smaller = smaller_of(re, im);
  const Sizes square = larger * larger;
  const Sizes sum = fused(smaller, smaller, square);
  // The sum is at most twice the square: their difference is exact.
  const Sizes rest = fused(larger, larger, -square) + fused(smaller, smaller, square - sum);
  near_root(sum, near, inverse);
  // A step of Newton's method.
  const Sizes size = fused(fused_away(near, near, sum) + rest, inverse * 0.5f, near);
  const unsigned others = other_sizes(re + im, larger);
  __builtin_memcpy(out, &size, sizeof(Sizes));
  if (others != 0) put_wide_sizes(parts, out, others);
}

inline void complex_sizes(const void* const* inputs, void* output, int64_t count) {
  const auto* parts = static_cast<const float*>(inputs[0]);
  auto* out = static_cast<float*>(output);
  for (; count >= kSizes; count -= kSizes, parts += 2 * kSizes, out += kSizes) {
    put_sizes(parts, out);
  }
  float rest[2 * kSizes] = {}, sizes[kSizes];
  __builtin_memcpy(rest, parts, static_cast<std::size_t>(count) * 2 * sizeof(float));
  put_sizes(rest, sizes);
  __builtin_memcpy(out, sizes, static_cast<std::size_t>(count) * sizeof(float));
}

#else

inline void complex_sizes(const void* const* inputs, void* output, int64_t count) {
  const auto* parts = static_cast<const float*>(inputs[0]);
  auto* out = static_cast<float*>(output);
  CUPOLA_CPU_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) out[i] = wide_size(parts + 2 * i);
}

#endif

// A complex number of float64 whose parts' squares neither overflow nor lose what counts.
[[gnu::always_inline]] inline bool has_plain_size(complex<double> value) {
  const double re = absolute(value.re), im = absolute(value.im);
  const double larger = re > im ? re : im;
  return (re + im <= 0x1p500) & ((larger >= 0x1p-450) | (larger == 0));
}
[[gnu::always_inline]] inline double plain_size(complex<double> value) {
  return sqrt(value.re * value.re + value.im * value.im);
}
inline void wide_complex_sizes(const void* const* inputs, void* output, int64_t count) {
  constexpr int64_t kBlock = 64;
  const auto* values = static_cast<const complex<double>*>(inputs[0]);
  auto* out = static_cast<double*>(output);
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t end = begin + kBlock < count ? begin + kBlock : count;
    int others = 0;
    for (int64_t i = begin; i < end; ++i) others |= static_cast<int>(!has_plain_size(values[i]));
    if (others == 0) {
      CUPOLA_CPU_INDEPENDENT
      for (int64_t i = begin; i < end; ++i) out[i] = plain_size(values[i]);
    } else {
      for (int64_t i = begin; i < end; ++i) {
        out[i] = has_plain_size(values[i]) ? plain_size(values[i]) : absolute(values[i]);
      }
    }
  }
}

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE
