#pragma once
// Logarithms of registers of floats. x = 2^k m with m in [3/4, 3/2), which keeps numbers near 1
// away from cancellation; log m = f + f^2 q(f) with f = m - 1 and a cubic polynomial q for each
// 16th of m's binade, whose coefficients are in registers.

#include "platforms/cpu/kernels/wide.h"

#ifdef __AVX512DQ__
namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

alignas(64) constexpr float kLogPower2[16] = {
    -0x1.fffffep-2f, -0x1.fffdcap-2f, -0x1.fff0d2p-2f, -0x1.ffce6ap-2f,
    -0x1.ff8d2ap-2f, -0x1.ff25fcp-2f, -0x1.fe9438p-2f, -0x1.fdd552p-2f,
    -0x1.feba1cp-2f, -0x1.ff5faap-2f, -0x1.ffb808p-2f, -0x1.ffe3aep-2f,
    -0x1.fff6e6p-2f, -0x1.fffdfp-2f,  -0x1.ffffc8p-2f, -0x1p-1f};
alignas(64) constexpr float kLogPower3[16] = {
    0x1.5552eep-2f, 0x1.54ef7p-2f,  0x1.53bbdcp-2f, 0x1.51976p-2f,  0x1.4e8942p-2f, 0x1.4aaafap-2f,
    0x1.461caap-2f, 0x1.40ff3ap-2f, 0x1.69fefep-2f, 0x1.612884p-2f, 0x1.5ba8bep-2f, 0x1.586762p-2f,
    0x1.569ddp-2f,  0x1.55bf72p-2f, 0x1.55693p-2f,  0x1.5555bp-2f};
alignas(64) constexpr float kLogPower4[16] = {
    -0x1.fe7bb6p-3f, -0x1.f2547ap-3f, -0x1.df2278p-3f, -0x1.c841ecp-3f,
    -0x1.afc7fp-3f,  -0x1.96fd1p-3f,  -0x1.7ea89ap-3f, -0x1.673f8ep-3f,
    -0x1.0cedfcp-3f, -0x1.5d848p-3f,  -0x1.97fcep-3f,  -0x1.c17d12p-3f,
    -0x1.ddee8ap-3f, -0x1.f04f64p-3f, -0x1.faed3p-3f,  -0x1.ff9p-3f};
alignas(64) constexpr float kLogPower5[16] = {
    0x1.71e27ep-3f, 0x1.2fd0cep-3f, 0x1.f85478p-4f, 0x1.a68666p-4f, 0x1.64fd28p-4f, 0x1.2fef2ap-4f,
    0x1.0492fep-4f, 0x1.c1a872p-5f, 0x1.f0314ap-2f, 0x1.b2e76p-2f,  0x1.7f095p-2f,  0x1.52df98p-2f,
    0x1.2d0e9ep-2f, 0x1.0c811ep-2f, 0x1.e0b066p-3f, 0x1.afbec8p-3f};
alignas(64) constexpr float kLog2Power2[16] = {
    -0x1.715476p-1f, -0x1.7152dep-1f, -0x1.714984p-1f, -0x1.7130b2p-1f,
    -0x1.7101ap-1f,  -0x1.70b732p-1f, -0x1.704e0cp-1f, -0x1.6fc458p-1f,
    -0x1.706962p-1f, -0x1.70e0cep-1f, -0x1.71208cp-1f, -0x1.714008p-1f,
    -0x1.714de6p-1f, -0x1.7152fap-1f, -0x1.71544ep-1f, -0x1.715476p-1f};
alignas(64) constexpr float kLog2Power3[16] = {
    0x1.ec6d26p-2f, 0x1.ebdd9ep-2f, 0x1.ea21dep-2f, 0x1.e70a94p-2f, 0x1.e2a238p-2f, 0x1.dd0d8ap-2f,
    0x1.d67aeap-2f, 0x1.cf19cap-2f, 0x1.051ffep-1f, 0x1.fd7feap-2f, 0x1.f590eep-2f, 0x1.f0dea6p-2f,
    0x1.ee4a84p-2f, 0x1.ed09b4p-2f, 0x1.ec8d42p-2f, 0x1.ec712p-2f};
alignas(64) constexpr float kLog2Power4[16] = {
    -0x1.703c5ep-2f, -0x1.677816p-2f, -0x1.599f62p-2f, -0x1.491ec8p-2f,
    -0x1.3776d4p-2f, -0x1.259486p-2f, -0x1.1407a2p-2f, -0x1.032492p-2f,
    -0x1.83fbc4p-3f, -0x1.f83f4cp-3f, -0x1.264d0ep-2f, -0x1.443ccap-2f,
    -0x1.58c142p-2f, -0x1.660318p-2f, -0x1.6dab9p-2f,  -0x1.7103acp-2f};
alignas(64) constexpr float kLog2Power5[16] = {
    0x1.0ad0cp-2f,  0x1.b65036p-3f, 0x1.6bcc14p-3f, 0x1.30c99p-3f, 0x1.018356p-3f, 0x1.b67c02p-4f,
    0x1.77edd8p-4f, 0x1.445c14p-4f, 0x1.65ed6p-1f,  0x1.39b78p-1f, 0x1.144d66p-1f, 0x1.e8e418p-2f,
    0x1.b25566p-2f, 0x1.835eb2p-2f, 0x1.5abe6ep-2f, 0x1.377038p-2f};
alignas(64) constexpr float kLog10Power2[16] = {
    -0x1.bcb7bp-3f,  -0x1.bcb5c6p-3f, -0x1.bcaa82p-3f, -0x1.bc8cap-3f,
    -0x1.bc53f2p-3f, -0x1.bbfa54p-3f, -0x1.bb7bb6p-3f, -0x1.bad5e6p-3f,
    -0x1.bb9cap-3f,  -0x1.bc2c6cp-3f, -0x1.bc792ep-3f, -0x1.bc9f18p-3f,
    -0x1.bcafcap-3f, -0x1.bcb5e6p-3f, -0x1.bcb78p-3f,  -0x1.bcb7b2p-3f};
alignas(64) constexpr float kLog10Power3[16] = {
    0x1.28786p-3f,  0x1.2821f6p-3f, 0x1.2716ccp-3f, 0x1.253a64p-3f, 0x1.22930ep-3f, 0x1.1f36e8p-3f,
    0x1.1b41dcp-3f, 0x1.16d07ep-3f, 0x1.3a6d02p-3f, 0x1.32bfd6p-3f, 0x1.2df91p-3f,  0x1.2b2538p-3f,
    0x1.2997c6p-3f, 0x1.28d6a2p-3f, 0x1.288bb4p-3f, 0x1.287ac4p-3f};
alignas(64) constexpr float kLog10Power4[16] = {
    -0x1.bb666ep-4f, -0x1.b0d80cp-4f, -0x1.a02bcap-4f, -0x1.8c4cdep-4f,
    -0x1.770a4cp-4f, -0x1.618178p-4f, -0x1.4c5f7ep-4f, -0x1.380ap-4f,
    -0x1.d32dbap-5f, -0x1.2f964cp-4f, -0x1.625faap-4f, -0x1.866bb8p-4f,
    -0x1.9f2054p-4f, -0x1.af16eap-4f, -0x1.b84f8ep-4f, -0x1.bc566ap-4f};
alignas(64) constexpr float kLog10Power5[16] = {
    0x1.41471ep-4f, 0x1.07e414p-4f, 0x1.b60e32p-5f, 0x1.6f0024p-5f, 0x1.36139cp-5f, 0x1.07fe72p-5f,
    0x1.c4a9eap-6f, 0x1.869166p-6f, 0x1.aefcc4p-3f, 0x1.79c0aep-3f, 0x1.4cb38p-3f,  0x1.26577ap-3f,
    0x1.057ebp-3f,  0x1.d27098p-4f, 0x1.a1856ep-4f, 0x1.770258p-4f};

// Of the base: log 2, the factor of f, and the polynomials.
struct NaturalBase {
  static constexpr float kOfTwo = 0x1.62e43p-1f;
  [[gnu::always_inline]] static Floats polynomial(Floats f, Words number) {
    return wide_polynomial(f, look_up(kLogPower5, number), look_up(kLogPower4, number),
                           look_up(kLogPower3, number), look_up(kLogPower2, number));
  }
};
struct BaseTwo {
  static constexpr float kOfTwo = 1;
  static constexpr float kFactor = 0x1.715476p0f;
  [[gnu::always_inline]] static Floats polynomial(Floats f, Words number) {
    return wide_polynomial(f, look_up(kLog2Power5, number), look_up(kLog2Power4, number),
                           look_up(kLog2Power3, number), look_up(kLog2Power2, number));
  }
};
struct BaseTen {
  static constexpr float kOfTwo = 0x1.344134p-2f, kOfTwoLow = 0x1.09f7ap-26f;
  static constexpr float kFactor = 0x1.bcb7b2p-2f;
  [[gnu::always_inline]] static Floats polynomial(Floats f, Words number) {
    return wide_polynomial(f, look_up(kLog10Power5, number), look_up(kLog10Power4, number),
                           look_up(kLog10Power3, number), look_up(kLog10Power2, number));
  }
};

// k log 2 + log(1 + f); `number` says which part of the binade 1 + f is in.
template <typename Base>
[[gnu::always_inline]] inline Floats logarithm_of(Floats k, Floats f, Words number) {
  const Floats rest = f * f;
  const Floats q = Base::polynomial(f, number);
  Floats value;
  if constexpr (is_same<Base, NaturalBase>) {
    value = fused(rest, q, f);
  } else {
    value = fused(f, all_of(Base::kFactor), rest * q);
  }
  if constexpr (is_same<Base, BaseTen>) value = fused(k, all_of(Base::kOfTwoLow), value);
  return fused(k, all_of(Base::kOfTwo), value);
}

struct Mantissa {
  Floats m, k;
  Words number;
  // NaN of numbers below zero.
  [[gnu::always_inline]] explicit Mantissa(Floats x)
      : m(_mm512_maskz_getmant_ps(kAllFloats, x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan)),
        k(_mm512_mask_add_ps(exponent_of(x), _mm512_cmp_ps_mask(m, all_of(1.0f), _CMP_LT_OQ),
                             exponent_of(x), all_of(1.0f))),
        number(_mm512_maskz_srli_epi32(kAllFloats, bits_of(m), 19)) {}
};

template <typename Base>
struct WideLog {
  [[gnu::always_inline]] static Floats evaluate(Floats x) {
    const Mantissa parts(x);
    return logarithm_of<Base>(parts.k, parts.m - 1.0f, parts.number);
  }
};

struct WideLog1p {
  [[gnu::always_inline]] static Floats evaluate(Floats x) {
    // 1 + x = sum + lost, and the logarithm takes what is lost at the mantissa's scale.
    const Floats sum = 1.0f + x;
    const Floats taken = sum - 1.0f;
    const Floats lost = (x - taken) + (1.0f - (sum - taken));
    const Mantissa parts(sum);
    // Zeros, infinities, NaN and numbers below zero have lost nothing.
    const auto others = _mm512_fpclass_ps_mask(sum, 0x01 | 0x02 | 0x04 | 0x08 | 0x10 | 0x80);
    const Floats low = _mm512_maskz_scalef_ps(static_cast<__mmask16>(~others), lost, -parts.k);
    const Floats result = logarithm_of<NaturalBase>(parts.k, (parts.m - 1.0f) + low, parts.number);
    // The sign of zero.
    return _mm512_mask_mov_ps(result, _mm512_cmp_ps_mask(x, Floats{}, _CMP_EQ_OQ), x);
  }
};

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE
#endif
