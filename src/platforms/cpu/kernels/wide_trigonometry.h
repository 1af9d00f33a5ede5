#pragma once
// Sine, cosine, tangent, arc cosine and arc sine of registers of floats of at most 2^16, as 16-bit
// floats are.

#include "platforms/cpu/kernels/wide_logarithms.h"

#ifdef __AVX512DQ__
namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

// x = n pi/2 + r.
struct WideQuadrant {
  Floats r, n;
  Words number;
  [[gnu::always_inline]] explicit WideQuadrant(Floats x) {
    const Floats shifted = fused(x, all_of(0x1.45f306p-1f), all_of(0x1.8p23f));
    n = shifted - 0x1.8p23f;
    number = bits_of(shifted);
    r = fused_away(n, all_of(0x1.921fb6p0f), x);
    r = fused_away(n, all_of(-0x1.777a5cp-25f), r);
    r = fused_away(n, all_of(-0x1.ee58p-50f), r);
  }
  [[gnu::always_inline]] Floats sine() const {
    const Floats z = r * r;
    return fused(r * z, wide_polynomial(z, -0x1.9ac6fcp-13f, 0x1.110c24p-7f, -0x1.555552p-3f), r);
  }
  [[gnu::always_inline]] Floats cosine() const {
    const Floats z = r * r;
    return fused(z, wide_polynomial(z, 0x1.9bd67p-16f, -0x1.6c12cep-10f, 0x1.555554p-5f, -0.5f),
                 all_of(1.0f));
  }
  [[gnu::always_inline]] __mmask16 is_odd() const {
    return _mm512_test_epi32_mask(number, _mm512_set1_epi32(1));
  }
};

template <int kTurns>  // quarters that are added
struct WideSine {
  [[gnu::always_inline]] static Floats evaluate(Floats x) {
    const WideQuadrant quadrant(x);
    const __mmask16 odd = quadrant.is_odd();
    const auto chosen = kTurns == 0 ? odd : static_cast<__mmask16>(~odd);
    const Floats value = _mm512_mask_mov_ps(quadrant.sine(), chosen, quadrant.cosine());
    const Words turns = _mm512_add_epi32(quadrant.number, _mm512_set1_epi32(kTurns));
    const Words minus = _mm512_maskz_slli_epi32(kAllFloats, turns, 30);
    const Floats result = with_signs(value, sign_of(floats_of(minus)));
    // The sign of zero.
    return kTurns == 0 ? _mm512_mask_mov_ps(result, _mm512_cmp_ps_mask(x, Floats{}, _CMP_EQ_OQ), x)
                       : result;
  }
};

struct WideTangent {
  [[gnu::always_inline]] static Floats evaluate(Floats x) {
    const WideQuadrant quadrant(x);
    const Floats sine = quadrant.sine(), cosine = quadrant.cosine();
    const __mmask16 odd = quadrant.is_odd();
    const Floats above = _mm512_mask_sub_ps(sine, odd, Floats{}, cosine);
    const Floats below = _mm512_mask_mov_ps(cosine, odd, sine);
    const Floats result = above / below;
    return _mm512_mask_mov_ps(result, _mm512_cmp_ps_mask(x, Floats{}, _CMP_EQ_OQ), x);
  }
};

// arcsin s - s for s <= 1/2.
[[gnu::always_inline]] inline Floats arcsine_rest(Floats s) {
  const Floats z = s * s;
  return (s * z) * wide_polynomial(z, 0x1.3810d4p-5f, 0x1.b3018ep-6f, 0x1.70a7dp-5f, 0x1.33272cp-4f,
                                   0x1.55555ep-3f);
}

struct WideArccos {
  [[gnu::always_inline]] static Floats evaluate(Floats x) {
    const Floats size = size_of(x);
    const __mmask16 far = _mm512_cmp_ps_mask(size, all_of(0.5f), _CMP_GT_OQ);
    const Floats halved = fused_away(size, all_of(0.5f), all_of(0.5f));
    const Floats s = _mm512_mask_sqrt_ps(size, far, halved);
    const Floats angle = s + arcsine_rest(s);
    // Near: pi/2 - angle by the sign of x; far: 2 angle, or pi - that.
    const Floats doubled = angle + angle;
    const Floats back = 0x1.921fb6p1f - doubled;
    const __mmask16 minus = _mm512_movepi32_mask(bits_of(x));
    const Floats far_angle = _mm512_mask_mov_ps(doubled, minus, back);
    const Floats near_angle = 0x1.921fb6p0f - (with_signs(angle, sign_of(x)) - -0x1.777a5cp-25f);
    return _mm512_mask_mov_ps(near_angle, far, far_angle);
  }
};

struct WideArcsin {
  [[gnu::always_inline]] static Floats evaluate(Floats x) {
    const Floats size = size_of(x);
    const __mmask16 far = _mm512_cmp_ps_mask(size, all_of(0.5f), _CMP_GT_OQ);
    const Floats halved = fused_away(size, all_of(0.5f), all_of(0.5f));
    const Floats s = _mm512_mask_sqrt_ps(size, far, halved);
    const Floats rest = arcsine_rest(s);
    // Near: s and the rest; far: pi/2 less twice these.
    const Floats base = _mm512_mask_sub_ps(s, far, all_of(0x1.921fb6p0f), s + s);
    const Floats low = _mm512_mask_sub_ps(rest, far, all_of(-0x1.777a5cp-25f), rest + rest);
    return with_signs(base + low, sign_of(x));
  }
};

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE
#endif
