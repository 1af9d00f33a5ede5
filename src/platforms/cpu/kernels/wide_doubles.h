#pragma once
// Exponential functions, logarithm and cube root of registers of doubles: what a register of 16
// places has no answer to is a polynomial on a 16th of a binade. Values in tables have a second
// part.

#include "platforms/cpu/kernels/wide.h"

#ifdef __AVX512DQ__
namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

alignas(64) constexpr double kWideRoots[16] = {0x1p0,
                                               0x1.0b5586cf9890fp0,
                                               0x1.172b83c7d517bp0,
                                               0x1.2387a6e756238p0,
                                               0x1.306fe0a31b715p0,
                                               0x1.3dea64c123422p0,
                                               0x1.4bfdad5362a27p0,
                                               0x1.5ab07dd485429p0,
                                               0x1.6a09e667f3bcdp0,
                                               0x1.7a11473eb0187p0,
                                               0x1.8ace5422aa0dbp0,
                                               0x1.9c49182a3f09p0,
                                               0x1.ae89f995ad3adp0,
                                               0x1.c199bdd85529cp0,
                                               0x1.d5818dcfba487p0,
                                               0x1.ea4afa2a490dap0};
alignas(64) constexpr double kWideRootsLow[16] = {
    0x0p0,      0x1.8a8p-54, -0x1.19p-55, 0x1.9bp-54,  0x1.6fp-55,  0x1.aep-55,
    0x1.d4p-56, 0x1.63p-54,  -0x1.bep-54, -0x1.42p-55, 0x1.6e8p-54, 0x1.c8p-56,
    0x1.7ap-54, 0x1.11p-55,  0x1.2fp-55,  -0x1.eap-54};
alignas(64) constexpr double kWidePartHigh[16] = {0x0p0,
                                                  -0x1.f0a30c0118p-5,
                                                  -0x1.e27076e2bp-4,
                                                  -0x1.5ff3070a7ap-3,
                                                  -0x1.c8ff7c79aap-3,
                                                  -0x1.1675cababap-2,
                                                  -0x1.4618bc21c6p-2,
                                                  -0x1.739d7f6bbdp-2,
                                                  -0x1.9f323ecbfap-2,
                                                  -0x1.c8ff7c79aap-2,
                                                  -0x1.f128f5fafp-2,
                                                  -0x1.0be72e42528p-1,
                                                  -0x1.1e85f5e704p-1,
                                                  -0x1.307d7334f1p-1,
                                                  -0x1.41d8fe8467p-1,
                                                  -0x1.52a2d265bc8p-1};
alignas(64) constexpr double kWidePartLow[16] = {0x0p0,
                                                 0x1.d599e83368e91p-45,
                                                 0x1.a342c2af0003cp-45,
                                                 0x1.8586f183bebf2p-44,
                                                 0x1.7794f689f8434p-45,
                                                 -0x1.8380e731f55c4p-44,
                                                 0x1.3d82f484c84ccp-46,
                                                 -0x1.a7389314feb5p-52,
                                                 0x1.ed03525ca2643p-44,
                                                 0x1.7794f689f8434p-44,
                                                 -0x1.bb2cd720ec44cp-44,
                                                 -0x1.415b4c4bdd99fp-44,
                                                 -0x1.a07bd8b34be7cp-46,
                                                 -0x1.7c3f6b2143eadp-46,
                                                 -0x1.5732325e617a3p-44,
                                                 0x1.2a88c41ba8752p-44};
alignas(64) constexpr double kWideCubeRootHigh[16] = {
    0x1p0,         0x1.f5c1da8p-1, 0x1.ec49b1p-1,  0x1.e37ebf8p-1, 0x1.db4c778p-1, 0x1.d3a1998p-1,
    0x1.cc6f8fp-1, 0x1.c5a9e7p-1,  0x1.bf45f08p-1, 0x1.b93a6dp-1,  0x1.b37f518p-1, 0x1.ae0d95p-1,
    0x1.a8df06p-1, 0x1.a3ee2dp-1,  0x1.9f362fp-1,  0x1.9ab2b88p-1};
alignas(64) constexpr double kWideCubeRootLow[16] = {0x0p0,
                                                     0x1.d7fb63166e402p-34,
                                                     -0x1.f3d6066cc1656p-28,
                                                     0x1.7e325276ae666p-28,
                                                     -0x1.f4300d874abc4p-29,
                                                     -0x1.7c462ef9f3911p-30,
                                                     0x1.a1daea8de7f21p-30,
                                                     -0x1.5ac58ba3058a1p-28,
                                                     -0x1.9887a3b12fca6p-28,
                                                     -0x1.3f4c4ebbefc84p-29,
                                                     0x1.ead3bb15db732p-29,
                                                     -0x1.a1b3a3693d6c4p-28,
                                                     -0x1.d6c4392cb0acfp-32,
                                                     0x1.597d22ba47feap-31,
                                                     0x1.a4ec23433354p-29,
                                                     0x1.bf0f35033c995p-30};
alignas(64) constexpr double kWideThirdHigh[8] = {1, 0x1.428a2f8p0, 0x1.965fea8p0};  // 2^(j/3)
alignas(64) constexpr double kWideThirdLow[8] = {0, 0x1.8d728ae223ddbp-28, -0x1.6148e1bea7d33p-27};

// e^x = 2^n e^(r + r_low), where n has 16ths, that are the number of the root.
struct WideReducedDouble {
  Doubles n, r, r_low;
  Words number;
  [[gnu::always_inline]] explicit WideReducedDouble(Doubles x) {
    constexpr double kShift = 0x1.8p48;  // plus this, numbers have 16ths as last places
    constexpr double kHigh = 0x1.62e42fefa39efp-1, kLow = 0x1.abc9e3b39803fp-56;  // of log 2
    const Doubles shifted = fused(x, all_of(0x1.71547652b82fep0), all_of(kShift));
    n = shifted - kShift;
    const Doubles first = fused_away(n, all_of(kHigh), x);
    r = fused_away(n, all_of(kLow), first);
    r_low = fused_away(n, all_of(kLow), first - r);
    number = bits_of(shifted);
  }
  // e^r - 1 - r + c.
  [[gnu::always_inline]] Doubles curve(Doubles c) const {
    return fused(
        r * r,
        wide_polynomial(r, 0x1.a014556a2b429p-13, 0x1.6c17edc2953abp-10, 0x1.11111115cf979p-7,
                        0x1.55555554e90fep-5, 0x1.555555555551fp-3, 0.5),
        c);
  }
};

struct WideExpDouble {
  [[gnu::always_inline]] static Doubles evaluate(Doubles x) {
    const WideReducedDouble reduced(bounded(x, -760.0, 720.0));
    const Doubles root = look_up(kWideRoots, reduced.number);
    const Doubles low = look_up(kWideRootsLow, reduced.number);
    return scaled(root + fused(root, reduced.curve(reduced.r), low), reduced.n);
  }
};

[[gnu::always_inline]] inline Doubles wide_expm1(Doubles x) {
  const WideReducedDouble reduced(bounded(x, -60.0, 720.0));
  const Doubles root = look_up(kWideRoots, reduced.number);
  const Doubles n = floor_of(reduced.n);
  const Doubles less_one = root - scaled(all_of(1.0), -n);
  const Doubles sum = fused(root, reduced.r, less_one);
  const Doubles lost = fused(root, reduced.r, less_one - sum);
  const Doubles root_low = look_up(kWideRootsLow, reduced.number);
  const Doubles low = fused(root_low, reduced.r, root_low + lost);
  return scaled(sum + fused(root, reduced.curve(reduced.r_low), low), n);
}

struct WideExpm1Double {
  [[gnu::always_inline]] static Doubles evaluate(Doubles x) {
    return doubles_of(bits_of(wide_expm1(x)) | bits_of(sign_of(x)));  // zeros have one as well
  }
};

struct WideSinhDouble {
  [[gnu::always_inline]] static Doubles evaluate(Doubles x) {
    // Far from zero half of the exponential, which may be finite where the exponential is not.
    const Doubles size = size_of(x);
    const __mmask8 large = _mm512_cmp_pd_mask(size, all_of(40.0), _CMP_GT_OQ);
    const Doubles e = wide_expm1(_mm512_mask_sub_pd(size, large, size, all_of(1.0)));
    const Doubles half = 0.5 * (e + e / (e + 1.0));
    const Doubles result = _mm512_mask_mul_pd(half, large, e, all_of(0x1.5bf0a8b145769p0));
    return with_signs(result, sign_of(x));
  }
};

struct WideTanhDouble {
  [[gnu::always_inline]] static Doubles evaluate(Doubles x) {
    const Doubles e = wide_expm1(bounded(size_of(x) * 2.0, 0.0, 60.0));
    return with_signs(e / (e + 2.0), sign_of(x));
  }
};

// m in [1, 2) is (1 + r) / c with c a number of 5 bits; which one, without its exponent, is the
// number of the part.
struct WideMantissa {
  Doubles r, exponent;
  Words part;
  [[gnu::always_inline]] WideMantissa(Doubles x, Doubles m) {
    constexpr int kFiveBits = 5 << 4;
    const Doubles c =
        _mm512_maskz_roundscale_pd(kAllDoubles, near_reciprocal(m), kFiveBits | _MM_FROUND_NO_EXC);
    r = fused(m, c, all_of(-1.0));
    exponent = exponent_of(x) - exponent_of(c);
    part = _mm512_maskz_srli_epi64(kAllDoubles, bits_of(c), 48);
  }
};

struct WideLogDouble {
  [[gnu::always_inline]] static Doubles evaluate(Doubles x) {
    constexpr double kHigh = 0x1.62e42fefa38p-1, kLow = 0x1.ef35793c7673p-45;  // of log 2
    const Doubles m = _mm512_maskz_getmant_pd(kAllDoubles, x, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_nan);
    const WideMantissa parts(x, m);
    const Doubles r = parts.r, k = parts.exponent;
    const Doubles whole = fused(k, all_of(kHigh), look_up(kWidePartHigh, parts.part));
    const Doubles high = whole + r;
    const Doubles lost = (whole - high) + r;
    const Doubles low = fused(k, all_of(kLow), look_up(kWidePartLow, parts.part)) + lost;
    const Doubles p =
        wide_polynomial(r, -0x1.9a473610e8cd2p-4, 0x1.c7d9d5f3d88fbp-4, -0x1.ffffe46d7248fp-4,
                        0x1.24923a1a85fdcp-3, -0x1.5555555608a9fp-3, 0x1.9999999a5d38fp-3,
                        -0x1.fffffffffffe9p-3, 0x1.5555555555549p-2, -0.5);
    const Doubles result = high + fused(r * r, p, low);
    // Zero and infinity.
    const __mmask8 endless = _mm512_fpclass_pd_mask(k, 0x08 | 0x10);
    return _mm512_mask_mov_pd(result, endless, k);
  }
};

struct WideCbrtDouble {
  [[gnu::always_inline]] static Doubles evaluate(Doubles x) {
    const Doubles m =
        _mm512_maskz_getmant_pd(kAllDoubles, x, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_zero);
    const WideMantissa parts(x, m);
    const Doubles r = parts.r, e = parts.exponent;
    const Doubles q = _mm512_maskz_roundscale_pd(
        kAllDoubles, fused(e, all_of(1.0 / 3.0), all_of(-1.0 / 3.0)), _MM_FROUND_NO_EXC);
    const Words j = bits_of(fused_away(q, all_of(3.0), e) + 0x1p52);
    const Doubles third = look_up(kWideThirdHigh, j), third_low = look_up(kWideThirdLow, j);
    const Doubles root = look_up(kWideCubeRootHigh, parts.part);
    const Doubles root_low = look_up(kWideCubeRootLow, parts.part);
    const Doubles high = root * third;  // exact
    const Doubles low = fused(root, third_low, root_low * (third + third_low));
    const Doubles p = wide_polynomial(
        r, -0x1.03cf438f3efddp-6, 0x1.37c1111403061p-6, -0x1.8090c6ae5d267p-6, 0x1.ee71017722416p-6,
        -0x1.511e8d2b95dc9p-5, 0x1.f9add3c13e5acp-5, -0x1.c71c71c71c716p-4, 0x1.5555555555553p-2);
    const Doubles rest = fused((high + low) * r, p, low);
    return with_signs(scaled(high + rest, q), sign_of(x));
  }
};

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE
#endif
