#pragma once
// The angles of registers of floats: the quotient q <= 1 of the smaller size and the larger one by
// its reciprocal, with what it lacks beside it, and arctan q = q + q^3 p(q^2).

#include "platforms/cpu/kernels/wide.h"

#ifdef __AVX512DQ__
namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

// arctan q - q + c for q from 0 to 1.
[[gnu::always_inline]] inline Floats arctangent_rest(Floats q, Floats c = Floats{}) {
  const Floats z = q * q;
  return fused(q * z,
               wide_polynomial(z, -0x1.38de56p-9f, 0x1.ba9f66p-7f, -0x1.25dc12p-5f, 0x1.0001c6p-4f,
                               -0x1.6295f8p-4f, 0x1.c3f168p-4f, -0x1.246cd2p-3f, 0x1.99983cp-3f,
                               -0x1.555554p-2f),
               c);
}

struct WideArctan2 {
  [[gnu::always_inline]] static Floats evaluate(Floats y, Floats x) {
    const Floats high = size_of(y), wide = size_of(x);
    const Floats above = _mm512_maskz_min_ps(kAllFloats, high, wide);
    const Floats below = _mm512_maskz_max_ps(kAllFloats, high, wide);
    const __mmask16 steep = _mm512_cmp_ps_mask(high, wide, _CMP_GT_OQ);
    const Floats q = above / below;
    const Floats q_low = fused_away(q, below, above) * near_reciprocal(below);
    // The angle is the base plus or minus q and the rest.
    const Floats rest = arctangent_rest(q, fused_away(q_low, 0.5f * (q * q), q_low));
    const __mmask16 back = _mm512_movepi32_mask(bits_of(x));
    Floats base = _mm512_maskz_mov_ps(back, all_of(0x1.921fb6p1f));
    Floats base_low = _mm512_maskz_mov_ps(back, all_of(-0x1.777a5cp-24f));
    base = _mm512_mask_mov_ps(base, steep, all_of(0x1.921fb6p0f));
    base_low = _mm512_mask_mov_ps(base_low, steep, all_of(-0x1.777a5cp-25f));
    const Floats signs = _mm512_maskz_mov_ps(static_cast<__mmask16>(steep ^ back), all_of(-0.0f));
    const Floats turned = with_signs(q, signs);
    const Floats first = base + turned;
    const Floats lost = (base - first) + turned;
    const Floats angle = first + (lost + (base_low + with_signs(rest, signs)));
    const Floats result = with_signs(angle, sign_of(y));
    const auto small =
        static_cast<__mmask16>(_mm512_cmp_ps_mask(above, all_of(0x1p-60f), _CMP_LT_OQ) &
                               _mm512_cmp_ps_mask(above, Floats{}, _CMP_NEQ_OQ));
    const unsigned other = small | _mm512_cmp_ps_mask(below, all_of(0x1p60f), _CMP_NLE_UQ) |
                           _mm512_cmp_ps_mask(below, all_of(0x1p-60f), _CMP_LT_OQ) |
                           _mm512_cmp_ps_mask(y, x, _CMP_UNORD_Q);
    if (__builtin_expect(other == 0, 1)) return result;
    // Sizes near the ends of the range, two zeros and what is not finite.
    return with_lanes_of([](float a, float b) { return arctan2(a, b); }, y, x, result, other);
  }
};

// Of values that 16-bit floats may have.
struct WideHalfArctan {
  [[gnu::always_inline]] static Floats evaluate(Floats x) {
    const Floats size = size_of(x);
    const __mmask16 steep = _mm512_cmp_ps_mask(size, all_of(1.0f), _CMP_GT_OQ);
    const Floats q = _mm512_mask_div_ps(size, steep, all_of(1.0f), size);
    const Floats angle = q + arctangent_rest(q);
    const Floats result =
        _mm512_mask_sub_ps(angle, steep, all_of(0x1.921fb6p0f), angle - -0x1.777a5cp-25f);
    return with_signs(result, sign_of(x));
  }
};

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE
#endif
