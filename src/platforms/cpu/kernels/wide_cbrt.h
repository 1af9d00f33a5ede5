#pragma once
// Cube roots of registers of floats. x = 2^(3q + j) m with j < 3 and m in [1, 2); the root of m is
// that of the start of its 16th of the binade and a polynomial of the distance from there. First
// parts have 12 bits, so that their product with that of 2^(j/3) is exact.

#include "platforms/cpu/kernels/wide.h"

#ifdef __AVX512DQ__
namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

alignas(64) constexpr float kCubeRootHigh[16] = {
    0x1p0f,    0x1.054p0f, 0x1.0a4p0f, 0x1.0f2p0f, 0x1.13cp0f, 0x1.184p0f, 0x1.1cap0f, 0x1.20ep0f,
    0x1.25p0f, 0x1.29p0f,  0x1.2dp0f,  0x1.30cp0f, 0x1.348p0f, 0x1.382p0f, 0x1.3bap0f, 0x1.3f2p0f};
alignas(64) constexpr float kCubeRootLow[16] = {
    0x1.342a5ap-28f,  -0x1.8a679cp-14f, 0x1.7ec8dp-19f,   -0x1.088504p-13f,
    0x1.21070cp-14f,  0x1.415598p-13f,  0x1.6c2684p-13f,  0x1.676f06p-13f,
    0x1.7fc3fp-13f,   0x1.f9540ap-13f,  -0x1.ddc0f2p-14f, 0x1.fbf074p-14f,
    -0x1.d53f0ap-18f, 0x1.8084cp-17f,   0x1.9acb04p-13f,  0x1.3d8a04p-14f};
alignas(64) constexpr float kCubeRootPower1[16] = {
    0x1.5554bcp-2f, 0x1.47cfap-2f,  0x1.3b8e0cp-2f, 0x1.30622ep-2f, 0x1.2626aep-2f, 0x1.1cbcc4p-2f,
    0x1.140ad8p-2f, 0x1.0bfb6ap-2f, 0x1.047c4cp-2f, 0x1.fafbfep-3f, 0x1.ede66ap-3f, 0x1.e1a0e6p-3f,
    0x1.d61786p-3f, 0x1.cb38ep-3f,  0x1.c0f5bp-3f,  0x1.b74086p-3f};
alignas(64) constexpr float kCubeRootPower2[16] = {
    -0x1.c65a16p-4f, -0x1.9ac32ap-4f, -0x1.757ed8p-4f, -0x1.555b22p-4f,
    -0x1.396c04p-4f, -0x1.20f8f2p-4f, -0x1.0b6fd2p-4f, -0x1.f0b75ap-5f,
    -0x1.cebbdap-5f, -0x1.b052cp-5f,  -0x1.94fceep-5f, -0x1.7c50f8p-5f,
    -0x1.65f6bep-5f, -0x1.51a426p-5f, -0x1.3f1a76p-5f, -0x1.2e2444p-5f};
alignas(64) constexpr float kCubeRootPower3[16] = {
    0x1.d20cdcp-5f, 0x1.8e5a1p-5f,  0x1.5778fap-5f, 0x1.2a79c2p-5f, 0x1.0533e2p-5f, 0x1.cc1584p-6f,
    0x1.978bb6p-6f, 0x1.6aeaap-6f,  0x1.44bdbp-6f,  0x1.23e06cp-6f, 0x1.076ae8p-6f, 0x1.dd471cp-7f,
    0x1.b1e934p-7f, 0x1.8bc874p-7f, 0x1.6a1d44p-7f, 0x1.4c42fcp-7f};
alignas(64) constexpr float kThirdHigh[16] = {1, 0x1.428p0f, 0x1.966p0f};  // 2^(j/3)
alignas(64) constexpr float kThirdLow[16] = {0, 0x1.45f31ap-13f, -0x1.5ac292p-20f};

// x = 2^(3q + j) m, up to its sign; `part` is the 16th of the binade that m is in.
struct CubeParts {
  [[gnu::always_inline]] explicit CubeParts(Floats x)
      : m(_mm512_maskz_getmant_ps(kAllFloats, x, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_zero)) {
    const Floats e = exponent_of(x);
    q = nearest_of(fused(e, all_of(1.0f / 3.0f), all_of(-1.0f / 3.0f)));
    j = bits_of(fused_away(q, all_of(3.0f), e) + 0x1p23f);
    part = _mm512_maskz_srli_epi32(kAllFloats, bits_of(m), 19);
  }
  Floats m, q;
  Words j, part;
};

struct WideCbrt {
  [[gnu::always_inline]] static Floats evaluate(Floats x) {
    const auto [m, q, j, part] = CubeParts(x);
    const Floats d =
        m - floats_of(bits_of(m) & _mm512_set1_epi32(static_cast<int32_t>(0xfff80000)));
    const Floats p =
        wide_polynomial(d, look_up(kCubeRootPower3, part), look_up(kCubeRootPower2, part),
                        look_up(kCubeRootPower1, part));
    const Floats low = fused(p, d, look_up(kCubeRootLow, part));
    const Floats high = look_up(kCubeRootHigh, part);
    const Floats third = look_up(kThirdHigh, j), third_low = look_up(kThirdLow, j);
    const Floats rest = fused(high, third_low, low * (third + third_low));
    return with_signs(scaled(high * third + rest, q), sign_of(x));
  }
};

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE
#endif
