#pragma once
// Registers of AVX-512, of 16 floats or 8 doubles, and loops of functions of them. The masked
// forms of instructions are used where compilers warn of the undefined values that the forms
// without masks begin with.

#include "platforms/cpu/kernels/half_blocks.h"

#ifdef __AVX512DQ__
#include <immintrin.h>

namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

using Floats = __m512;
using Doubles = __m512d;
using Words = __m512i;

constexpr __mmask16 kAllFloats = 0xffff;
constexpr __mmask8 kAllDoubles = 0xff;

[[gnu::always_inline]] inline Floats all_of(float value) { return _mm512_set1_ps(value); }
[[gnu::always_inline]] inline Doubles all_of(double value) { return _mm512_set1_pd(value); }

// a * b + c and c - a * b, rounded once.
[[gnu::always_inline]] inline Floats fused(Floats a, Floats b, Floats c) {
  return _mm512_fmadd_ps(a, b, c);
}
[[gnu::always_inline]] inline Doubles fused(Doubles a, Doubles b, Doubles c) {
  return _mm512_fmadd_pd(a, b, c);
}
[[gnu::always_inline]] inline Floats fused_away(Floats a, Floats b, Floats c) {
  return _mm512_fnmadd_ps(a, b, c);
}
[[gnu::always_inline]] inline Doubles fused_away(Doubles a, Doubles b, Doubles c) {
  return _mm512_fnmadd_pd(a, b, c);
}

[[gnu::always_inline]] inline Floats lanes_of(float value) { return all_of(value); }
[[gnu::always_inline]] inline Floats lanes_of(Floats values) { return values; }

// By Horner's rule; the coefficient of the highest power, a number or one for each lane, comes
// first.
template <typename Highest, typename... Lower>
[[gnu::always_inline]] inline Floats wide_polynomial(Floats z, Highest highest, Lower... lower) {
  Floats sum = lanes_of(highest);
  ((sum = fused(sum, z, lanes_of(lower))), ...);
  return sum;
}
template <typename... Lower>
[[gnu::always_inline]] inline Doubles wide_polynomial(Doubles z, double highest, Lower... lower) {
  Doubles sum = all_of(highest);
  ((sum = fused(sum, z, all_of(lower))), ...);
  return sum;
}

[[gnu::always_inline]] inline Words bits_of(Floats value) { return _mm512_castps_si512(value); }
[[gnu::always_inline]] inline Words bits_of(Doubles value) { return _mm512_castpd_si512(value); }
[[gnu::always_inline]] inline Floats floats_of(Words bits) { return _mm512_castsi512_ps(bits); }
[[gnu::always_inline]] inline Doubles doubles_of(Words bits) { return _mm512_castsi512_pd(bits); }

[[gnu::always_inline]] inline Floats size_of(Floats value) {
  return floats_of(bits_of(value) & _mm512_set1_epi32(0x7fffffff));
}
[[gnu::always_inline]] inline Doubles size_of(Doubles value) {
  return doubles_of(bits_of(value) & _mm512_set1_epi64(0x7fffffffffffffff));
}
// Minus zero where the value has a minus, plus zero elsewhere.
[[gnu::always_inline]] inline Floats sign_of(Floats value) {
  return floats_of(bits_of(value) & _mm512_set1_epi32(lowest_value<int32_t>()));
}
[[gnu::always_inline]] inline Doubles sign_of(Doubles value) {
  return doubles_of(bits_of(value) & _mm512_set1_epi64(lowest_value<int64_t>()));
}
// The value with its sign changed where `signs` have one.
[[gnu::always_inline]] inline Floats with_signs(Floats value, Floats signs) {
  return floats_of(bits_of(value) ^ bits_of(signs));
}
[[gnu::always_inline]] inline Doubles with_signs(Doubles value, Doubles signs) {
  return doubles_of(bits_of(value) ^ bits_of(signs));
}

// NaN in `value` stays.
[[gnu::always_inline]] inline Floats bounded(Floats value, float least, float most) {
  return _mm512_maskz_max_ps(kAllFloats, all_of(least),
                             _mm512_maskz_min_ps(kAllFloats, all_of(most), value));
}
[[gnu::always_inline]] inline Doubles bounded(Doubles value, double least, double most) {
  return _mm512_maskz_max_pd(kAllDoubles, all_of(least),
                             _mm512_maskz_min_pd(kAllDoubles, all_of(most), value));
}

// value * 2^floor(power), rounded once.
[[gnu::always_inline]] inline Floats scaled(Floats value, Floats power) {
  return _mm512_maskz_scalef_ps(kAllFloats, value, power);
}
[[gnu::always_inline]] inline Doubles scaled(Doubles value, Doubles power) {
  return _mm512_maskz_scalef_pd(kAllDoubles, value, power);
}
// The exponent of a power of two that is not above the size; of zero it is minus infinity.
[[gnu::always_inline]] inline Floats exponent_of(Floats value) {
  return _mm512_maskz_getexp_ps(kAllFloats, value);
}
[[gnu::always_inline]] inline Doubles exponent_of(Doubles value) {
  return _mm512_maskz_getexp_pd(kAllDoubles, value);
}

[[gnu::always_inline]] inline Floats floor_of(Floats value) {
  return _mm512_maskz_roundscale_ps(kAllFloats, value, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
}
[[gnu::always_inline]] inline Doubles floor_of(Doubles value) {
  return _mm512_maskz_roundscale_pd(kAllDoubles, value, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
}
[[gnu::always_inline]] inline Floats nearest_of(Floats value) {
  return _mm512_maskz_roundscale_ps(kAllFloats, value,
                                    _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

// Up to a part in 2^14.
[[gnu::always_inline]] inline Floats near_reciprocal(Floats value) {
  return _mm512_maskz_rcp14_ps(kAllFloats, value);
}
[[gnu::always_inline]] inline Doubles near_reciprocal(Doubles value) {
  return _mm512_maskz_rcp14_pd(kAllDoubles, value);
}

// table[number], by the low bits of `number`.
[[gnu::always_inline]] inline Floats look_up(const float (&table)[16], Words number) {
  return _mm512_maskz_permutexvar_ps(kAllFloats, number, _mm512_load_ps(table));
}
[[gnu::always_inline]] inline Floats look_up(const float (&table)[32], Words number) {
  return _mm512_permutex2var_ps(_mm512_load_ps(table), number, _mm512_load_ps(table + 16));
}
[[gnu::always_inline]] inline Doubles look_up(const double (&table)[8], Words number) {
  return _mm512_maskz_permutexvar_pd(kAllDoubles, number, _mm512_load_pd(table));
}
[[gnu::always_inline]] inline Doubles look_up(const double (&table)[16], Words number) {
  return _mm512_permutex2var_pd(_mm512_load_pd(table), number, _mm512_load_pd(table + 8));
}

// `results`, in some lanes what the function of two numbers gives.
template <typename Vector, typename Function>
[[gnu::noinline]] Vector with_lanes_of(const Function& function, Vector a, Vector b, Vector results,
                                       unsigned lanes) {
  for (; lanes != 0; lanes &= lanes - 1) {
    const int i = __builtin_ctz(lanes);
    results[i] = function(a[i], b[i]);
  }
  return results;
}

// Lanes of the last values.
[[gnu::always_inline]] inline __mmask16 float_lanes(int64_t count) {
  return static_cast<__mmask16>((1u << count) - 1);
}
[[gnu::always_inline]] inline __mmask8 double_lanes(int64_t count) {
  return static_cast<__mmask8>((1u << count) - 1);
}

template <typename Function>
void wide_float_loop(const void* const* inputs, void* output, int64_t count) {
  const auto* in = static_cast<const float*>(inputs[0]);
  auto* out = static_cast<float*>(output);
  for (; count >= 16; count -= 16, in += 16, out += 16) {
    _mm512_storeu_ps(out, Function::evaluate(_mm512_loadu_ps(in)));
  }
  if (count == 0) return;
  const __mmask16 lanes = float_lanes(count);
  _mm512_mask_storeu_ps(out, lanes, Function::evaluate(_mm512_maskz_loadu_ps(lanes, in)));
}
template <typename Function>
void wide_double_loop(const void* const* inputs, void* output, int64_t count) {
  const auto* in = static_cast<const double*>(inputs[0]);
  auto* out = static_cast<double*>(output);
  for (; count >= 8; count -= 8, in += 8, out += 8) {
    _mm512_storeu_pd(out, Function::evaluate(_mm512_loadu_pd(in)));
  }
  if (count == 0) return;
  const __mmask8 lanes = double_lanes(count);
  _mm512_mask_storeu_pd(out, lanes, Function::evaluate(_mm512_maskz_loadu_pd(lanes, in)));
}
template <typename Function>
void wide_float_loop_of_two(const void* const* inputs, void* output, int64_t count) {
  const auto* a = static_cast<const float*>(inputs[0]);
  const auto* b = static_cast<const float*>(inputs[1]);
  auto* out = static_cast<float*>(output);
  for (; count >= 16; count -= 16, a += 16, b += 16, out += 16) {
    _mm512_storeu_ps(out, Function::evaluate(_mm512_loadu_ps(a), _mm512_loadu_ps(b)));
  }
  if (count == 0) return;
  const __mmask16 lanes = float_lanes(count);
  const Floats first = _mm512_mask_loadu_ps(all_of(1.0f), lanes, a);
  const Floats second = _mm512_mask_loadu_ps(all_of(1.0f), lanes, b);
  _mm512_mask_storeu_ps(out, lanes, Function::evaluate(first, second));
}
template <typename Function>
void wide_double_loop_of_two(const void* const* inputs, void* output, int64_t count) {
  const auto* a = static_cast<const double*>(inputs[0]);
  const auto* b = static_cast<const double*>(inputs[1]);
  auto* out = static_cast<double*>(output);
  for (; count >= 8; count -= 8, a += 8, b += 8, out += 8) {
    _mm512_storeu_pd(out, Function::evaluate(_mm512_loadu_pd(a), _mm512_loadu_pd(b)));
  }
  if (count == 0) return;
  const __mmask8 lanes = double_lanes(count);
  const Doubles first = _mm512_mask_loadu_pd(all_of(1.0), lanes, a);
  const Doubles second = _mm512_mask_loadu_pd(all_of(1.0), lanes, b);
  _mm512_mask_storeu_pd(out, lanes, Function::evaluate(first, second));
}

// Of 16-bit floats, by way of float32.
template <typename Function>
[[gnu::always_inline]] inline __m256i evaluate_halves(__m256i halves) {
  const Floats results = Function::evaluate(_mm512_maskz_cvtph_ps(kAllFloats, halves));
  return _mm512_maskz_cvtps_ph(kAllFloats, results, _MM_FROUND_TO_NEAREST_INT);
}
template <typename Function>
void wide_half_loop(const void* const* inputs, void* output, int64_t count) {
  const auto* in = static_cast<const float16*>(inputs[0]);
  auto* out = static_cast<float16*>(output);
  for (; count >= 16; count -= 16, in += 16, out += 16) {
    const __m256i halves = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(in));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), evaluate_halves<Function>(halves));
  }
  if (count == 0) return;
  const __mmask16 lanes = float_lanes(count);
  const __m256i halves = _mm256_maskz_loadu_epi16(lanes, in);
  _mm256_mask_storeu_epi16(out, lanes, evaluate_halves<Function>(halves));
}

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE
#endif
