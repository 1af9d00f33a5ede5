#pragma once
// Powers of registers of floats: x^y = 2^(y log2 x), the logarithm as a sum of two floats. 1 / m is
// rounded to 6 bits, so that r = m / that - 1 is exact and the logarithm of what is left is in a
// table of 32 places, first parts of which have 15 bits behind the point.

#include "platforms/cpu/kernels/wide.h"

#ifdef __AVX512DQ__
namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

alignas(64) constexpr float kPartHigh[32] = {
    0x0p0f,        -0x1.6bcp-5f,  -0x1.664p-4f,  -0x1.08cp-3f,  -0x1.5cp-3f,   -0x1.acfp-3f,
    -0x1.fbcp-3f,  -0x1.244p-2f,  -0x1.49a8p-2f, -0x1.6e2p-2f,  -0x1.91b8p-2f, -0x1.b48p-2f,
    -0x1.d678p-2f, -0x1.f7a8p-2f, -0x1.0c1p-1f,  -0x1.1bf4p-1f, -0x1.2b8p-1f,  -0x1.3abcp-1f,
    -0x1.49a8p-1f, -0x1.5848p-1f, -0x1.66ap-1f,  -0x1.74bp-1f,  -0x1.828p-1f,  -0x1.901p-1f,
    -0x1.9d5cp-1f, -0x1.aa7p-1f,  -0x1.b748p-1f, -0x1.c3e8p-1f, -0x1.d054p-1f, -0x1.dc88p-1f,
    -0x1.e88cp-1f, -0x1.f46p-1f};
alignas(64) constexpr float kPartLow[32] = {
    0x0p0f,           0x1.2c8a72p-17f,  0x1.20a6dep-21f,  -0x1.62336ap-17f, -0x1.a39fbep-19f,
    -0x1.78b6d4p-17f, -0x1.6b9026p-19f, -0x1.eac382p-20f, 0x1.ed0cbap-20f,  -0x1.0e6ce8p-17f,
    -0x1.d448f8p-17f, 0x1.408c78p-18f,  0x1.60fe68p-17f,  -0x1.5a32c2p-20f, -0x1.40358ep-19f,
    0x1.dc2d46p-18f,  -0x1.a39fbep-20f, 0x1.80abfcp-18f,  0x1.ed0cbap-19f,  -0x1.134c4ep-20f,
    -0x1.1c8f12p-22f, -0x1.fd64ep-17f,  -0x1.3ab7cep-18f, 0x1.9eap-17f,     -0x1.9fd502p-17f,
    -0x1.1eb002p-18f, -0x1.48f554p-17f, -0x1.ca2e1ap-17f, 0x1.25b3eep-22f,  -0x1.9ab4p-17f,
    -0x1.acd89ap-19f, 0x1.f7431p-17f};

// Of positive finite x.
struct WideLog2Pair {
  Floats high, low;
  [[gnu::always_inline]] explicit WideLog2Pair(Floats x) {
    const Floats m = _mm512_maskz_getmant_ps(kAllFloats, x, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_zero);
    constexpr int kSixBits = 6 << 4;
    const Floats inverse =
        _mm512_maskz_roundscale_ps(kAllFloats, near_reciprocal(m), kSixBits | _MM_FROUND_NO_EXC);
    const Floats r = fused(m, inverse, all_of(-1.0f));
    const Words part = _mm512_maskz_srli_epi32(kAllFloats, bits_of(inverse), 18);
    // A reciprocal of 1 has the exponent 0, the others -1.
    const Floats whole = (exponent_of(x) - exponent_of(inverse)) + look_up(kPartHigh, part);
    const Floats first = r * 0x1.715476p0f;
    const Floats lost = fused(r, all_of(0x1.4ae0cp-26f), fused(r, all_of(0x1.715476p0f), -first));
    const Floats curve = (r * r) * wide_polynomial(r, 0x1.278442p-2f, -0x1.716434p-2f,
                                                   0x1.ec709ep-2f, -0x1.715476p-1f);
    high = whole + first;
    low = ((whole - high) + first) + (look_up(kPartLow, part) + (lost + curve));
  }
};

// Powers of zeros and numbers below zero, of which `results` has the sizes of the latter: NaN for
// exponents that are no whole numbers, a minus for odd ones.
template <typename Vector>
[[gnu::noinline]] Vector power_with_sign(Vector x, Vector y, Vector results) {
  using Number = decltype(x[0] + x[0]);
  using Lanes = decltype(x == x);
  const Vector zero{};
  const Vector of_zero = y == zero ? zero + Number(1) : (y < zero ? zero + infinity<Number>() : y);
  results = x == zero ? (y > zero ? zero : of_zero) : results;
  const Vector half = y * Number(0.5);
  const Lanes whole = floor_of(y) == y;
  const Lanes odd = whole & (floor_of(half) != half) & (__builtin_bit_cast(Lanes, x) < 0);
  results = odd ? -results : results;
  return ((x < zero) & ~whole) ? zero + quiet_nan<Number>() : results;
}

struct WidePower {
  [[gnu::always_inline]] static Floats evaluate(Floats x, Floats y) {
    constexpr int kNan = 0x01 | 0x80, kInfinite = 0x08 | 0x10, kNotAbove = 0x02 | 0x04 | 0x40;
    const WideLog2Pair log2(x);
    const Floats all = y * log2.high;
    const Floats product = bounded(all, -200.0f, 200.0f);  // beyond these, 0 and infinity
    const __mmask16 inside = _mm512_cmp_ps_mask(all, product, _CMP_EQ_OQ);
    const Floats lost = _mm512_maskz_fmadd_ps(inside, y, log2.low, fused(y, log2.high, -all));
    const Floats n = nearest_of(product + lost);
    const Floats f = (product - n) + lost;
    const Floats less_one = f * wide_polynomial(f, 0x1.441412p-13f, 0x1.5f0956p-10f, 0x1.3b2a52p-7f,
                                                0x1.c6af6cp-5f, 0x1.ebfbep-3f, 0x1.62e43p-1f);
    Floats result = scaled(1.0f + less_one, n);
    const __mmask16 not_above = _mm512_fpclass_ps_mask(x, kNotAbove);
    if (__builtin_expect(not_above != 0, 0)) result = power_with_sign(x, y, result);
    const unsigned other = _mm512_fpclass_ps_mask(x, kNan | kInfinite) |
                           (_mm512_fpclass_ps_mask(all, kNan) & static_cast<unsigned>(~not_above)) |
                           (_mm512_fpclass_ps_mask(y, kInfinite | kNan) & not_above);
    if (__builtin_expect(other == 0, 1)) return result;
    return with_lanes_of([](float a, float b) { return power(a, b); }, x, y, result, other);
  }
};

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE
#endif
