#pragma once
// Functions of 16-bit floats in registers of float32, in fewer steps than those of all float32.
// Each coefficient is chosen so that the result of every 16-bit float rounds as that of the
// function of float32 (a linear program over its values, for each 16th of a binade).

#include "platforms/cpu/kernels/wide_cbrt.h"
#include "platforms/cpu/kernels/wide_exponentials.h"
#include "platforms/cpu/kernels/wide_logarithms.h"

#ifdef __AVX512DQ__
namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

alignas(64) constexpr float kHalfLogPower2[16] = {
    -0x1.015228p-1f, -0x1.ff41bep-2f, -0x1.fe46b2p-2f, -0x1.fd6d14p-2f,
    -0x1.fd137p-2f,  -0x1.00f0dep-1f, -0x1.f773e2p-2f, -0x1.f73d5ap-2f,
    -0x1.09bfc2p-1f, -0x1.fa4892p-2f, -0x1.0e8ba6p-1f, -0x1.038292p-1f,
    -0x1.085582p-1f, -0x1.04b148p-1f, -0x1.01ba8ep-1f, -0x1.003b2cp-1f};
alignas(64) constexpr float kHalfLogPower3[16] = {
    0x1.d94206p-2f, 0x1.452da4p-2f, 0x1.3a97a4p-2f, 0x1.374b46p-2f, 0x1.36115cp-2f, 0x1.5200acp-2f,
    0x1.18846ap-2f, 0x1.1859dcp-2f, 0x1.35a29p-3f,  0x1.874f7cp-2f, 0x1.dd5db4p-8f, 0x1.cab698p-3f,
    0x1.189e2ap-5f, 0x1.a74c1cp-4f, 0x1.2b26ep-3f,  0x1.532768p-5f};
alignas(64) constexpr float kHalfLogPower4[16] = {
    -0x1.db687p0f,   -0x1.283a2ep-3f, -0x1.fbb232p-4f, -0x1.0b8fbp-3f,
    -0x1.0e2204p-3f, -0x1.5edcdp-3f,  -0x1.7f493ap-4f, -0x1.8227bap-4f,
    -0x1.7a348p-1f,  -0x1.903faap-3f, -0x1.39c93p0f,   -0x1.690698p-1f,
    -0x1.a3a10ap0f,  -0x1.b45098p0f,  -0x1.39ece2p1f,  -0x1.56773cp3f};
alignas(64) constexpr float kHalfLog2Power2[16] = {
    -0x1.6fc0bep-1f, -0x1.79ba4ep-1f, -0x1.7129cap-1f, -0x1.7956c4p-1f,
    -0x1.6cde9ap-1f, -0x1.6b67cap-1f, -0x1.6cce1ep-1f, -0x1.64fd28p-1f,
    -0x1.6ad98p-1f,  -0x1.8107a8p-1f, -0x1.713a1p-1f,  -0x1.6c4d02p-1f,
    -0x1.73017ep-1f, -0x1.4e8438p-1f, -0x1.79c01ep-1f, -0x1.73f16cp-1f};
alignas(64) constexpr float kHalfLog2Power3[16] = {
    0x1.1579dp-2f,  0x1.a7b02p-1f,  0x1.e2b30ep-2f,  0x1.3800d4p-1f, 0x1.a24cbcp-2f, 0x1.91cba2p-2f,
    0x1.a3a3b8p-2f, 0x1.61944ap-2f, 0x1.1d2f98p-1f,  0x1.55b75ep-3f, 0x1.e73436p-2f, 0x1.426e72p-1f,
    0x1.b0e31ap-2f, 0x1.1f7052p1f,  -0x1.6ea0d6p-3f, -0x1.4422e4p-2f};
alignas(64) constexpr float kHalfLog2Power4[16] = {
    0x1.2456p1f,     -0x1.10fccep1f,  -0x1.194294p-2f, -0x1.21cf24p-1f,
    -0x1.2de82ap-3f, -0x1.fbee84p-4f, -0x1.367c4ep-3f, -0x1.56afeep-4f,
    -0x1.6627fep-2f, -0x1.3be9ccp0f,  -0x1.d0e866p-2f, 0x1.43c812p-3f,
    -0x1.4f548ep-1f, 0x1.5f9e4ap3f,   -0x1.b9defap2f,  -0x1.6aa24ep4f};
alignas(64) constexpr float kHalfLog10Power2[16] = {
    -0x1.be32d6p-3f, -0x1.bd0c66p-3f, -0x1.bc6588p-3f, -0x1.bb839p-3f,
    -0x1.b9620cp-3f, -0x1.b9bd58p-3f, -0x1.babc3cp-3f, -0x1.b312fep-3f,
    -0x1.b05064p-3f, -0x1.bc991ap-3f, -0x1.adb168p-3f, -0x1.e8835ap-3f,
    -0x1.a80a6ap-3f, -0x1.cb427ap-3f, -0x1.bf89cp-3f,  -0x1.b72be2p-3f};
alignas(64) constexpr float kHalfLog10Power3[16] = {
    0x1.4a3f44p-3f, 0x1.3192cp-3f,  0x1.21799ap-3f, 0x1.1764b6p-3f, 0x1.080cd2p-3f, 0x1.0a50d2p-3f,
    0x1.0ebf0cp-3f, 0x1.d5a24cp-4f, 0x1.85f75ap-3f, 0x1.1d672ep-3f, 0x1.d35fb8p-3f, -0x1.269c38p-3f,
    0x1.4fa1dap-2f, -0x1.2afa4p-5f, 0x1.3ca47p-4f,  0x1.d73786p-2f};
alignas(64) constexpr float kHalfLog10Power4[16] = {
    -0x1.082522p-4f, -0x1.03c35ap-3f, -0x1.4a925cp-4f, -0x1.10e934p-4f,
    -0x1.b2724ep-5f, -0x1.c1a382p-5f, -0x1.d3757p-5f,  -0x1.2a9a4cp-5f,
    -0x1.96ddp-5f,   -0x1.43b8ccp-3f, 0x1.c5ed1ep-4f,  -0x1.189402p0f,
    0x1.68ff4p-1f,   -0x1.439d34p0f,  -0x1.cd0044p-1f, 0x1.fa2e8cp2f};

struct HalfNaturalBase {
  static constexpr float kOfTwo = NaturalBase::kOfTwo, kFactor = 1;
  static constexpr auto &kPower2 = kHalfLogPower2, &kPower3 = kHalfLogPower3,
                        &kPower4 = kHalfLogPower4;
};
struct HalfBaseTwo {
  static constexpr float kOfTwo = BaseTwo::kOfTwo, kFactor = BaseTwo::kFactor;
  static constexpr auto &kPower2 = kHalfLog2Power2, &kPower3 = kHalfLog2Power3,
                        &kPower4 = kHalfLog2Power4;
};
struct HalfBaseTen {
  static constexpr float kOfTwo = 0x1.344136p-2f, kFactor = BaseTen::kFactor;
  static constexpr auto &kPower2 = kHalfLog10Power2, &kPower3 = kHalfLog10Power3,
                        &kPower4 = kHalfLog10Power4;
};

template <typename Base>
struct WideHalfLog {
  [[gnu::always_inline]] static Floats evaluate(Floats x) {
    const Floats m =
        _mm512_maskz_getmant_ps(kAllFloats, x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan);
    const Floats k = exponent_of(x * 0x1.555556p0f);  // one more from 3/2 of a power of two on
    const Words number = _mm512_maskz_srli_epi32(kAllFloats, bits_of(m), 19);
    const Floats f = m - 1.0f;
    const Floats q =
        wide_polynomial(f, look_up(Base::kPower4, number), look_up(Base::kPower3, number),
                        look_up(Base::kPower2, number), Base::kFactor);
    return fused(k, all_of(Base::kOfTwo), f * q);
  }
};

// As WideExp2, without bounds: what an instruction leaves beyond the nearest 16th is zero of
// infinities.
struct WideHalfExp2 {
  [[gnu::always_inline]] static Floats evaluate(Floats x) {
    constexpr int kFourBits = 4 << 4;
    const Floats shifted = x + kSixteenths;
    const Floats r = _mm512_maskz_reduce_ps(kAllFloats, x, kFourBits | _MM_FROUND_TO_NEAREST_INT);
    const Floats less_one = r * wide_polynomial(r, 0x1.c6b29ap-5f, 0x1.ebff92p-3f, 0x1.62e43p-1f);
    const Floats root = look_up(kRoots, bits_of(shifted));
    return scaled(fused(root, less_one, root), shifted - kSixteenths);
  }
};

// As WideCbrt; the polynomials are of the mantissa itself.
alignas(64) constexpr float kHalfRootPower0[16] = {
    0x1.1f4504p-1f, 0x1.1b235ep-1f, 0x1.31021ap-1f, 0x1.39ebd2p-1f, 0x1.418948p-1f, 0x1.43abd4p-1f,
    0x1.492f98p-1f, 0x1.47d238p-1f, 0x1.538c02p-1f, 0x1.58ffc6p-1f, 0x1.334d16p-1f, 0x1.0959cap-1f,
    0x1.3197bep-1f, 0x1.78590ep-1f, 0x1.5b6d78p-1f, 0x1.91a018p-1f};
alignas(64) constexpr float kHalfRootPower1[16] = {
    0x1.16bfdcp-1f, 0x1.1e3d74p-1f, 0x1.ee1a22p-2f, 0x1.d1f2c2p-2f, 0x1.bae696p-2f, 0x1.b5402ap-2f,
    0x1.a76ac8p-2f, 0x1.ac19fcp-2f, 0x1.8dc372p-2f, 0x1.80f39cp-2f, 0x1.dccfb4p-2f, 0x1.1dd8bap-1f,
    0x1.db198ep-2f, 0x1.3e7a34p-2f, 0x1.7cfc14p-2f, 0x1.0e331cp-2f};
alignas(64) constexpr float kHalfRootPower2[16] = {
    -0x1.b02a1ap-4f, -0x1.cb531ap-4f, -0x1.3ecdacp-4f, -0x1.1272bcp-4f,
    -0x1.df4bf8p-5f, -0x1.d0caeap-5f, -0x1.af189ep-5f, -0x1.be9a8p-5f,
    -0x1.70260ep-5f, -0x1.52487ap-5f, -0x1.191726p-4f, -0x1.84305ap-4f,
    -0x1.10829ap-4f, -0x1.8c834ep-6f, -0x1.4d6142p-5f, -0x1.abadc6p-7f};
alignas(64) constexpr float kHalfThird[16] = {1, 0x1.428a3p0f, 0x1.965feap0f};  // 2^(j/3)

struct WideHalfCbrt {
  [[gnu::always_inline]] static Floats evaluate(Floats x) {
    const auto [m, q, j, part] = CubeParts(x);
    const Floats root =
        wide_polynomial(m, look_up(kHalfRootPower2, part), look_up(kHalfRootPower1, part),
                        look_up(kHalfRootPower0, part));
    return with_signs(scaled(root * look_up(kHalfThird, j), q), sign_of(x));
  }
};

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE
#endif
