#pragma once
// The angles of registers of doubles: the quotient of the smaller size and the larger one is an
// eighth c, whose angle is in a table, and t = (above - c below) / (below + c above), |t| < 0.0627.

#include "platforms/cpu/kernels/wide.h"

#ifdef __AVX512DQ__
namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

alignas(64) constexpr double kAngleHigh[16] = {0x0p0,
                                               0x1.fd5ba9aac2f6ep-4,
                                               0x1.f5b75f92c80ddp-3,
                                               0x1.6f61941e4def1p-2,
                                               0x1.dac670561bb4fp-2,
                                               0x1.1e00babdefeb4p-1,
                                               0x1.4978fa3269ee1p-1,
                                               0x1.700a7c5784634p-1,
                                               0x1.921fb54442d18p-1};
alignas(64) constexpr double kAngleLow[16] = {0x0p0,
                                              -0x1.cd37686760c17p-59,
                                              0x1.8ab6e3cf7afbdp-57,
                                              -0x1.c63aae6f6e918p-56,
                                              0x1.a2b7f222f65e2p-56,
                                              -0x1.928df287a668fp-58,
                                              0x1.2419a87f2a458p-56,
                                              -0x1.8c34d25aadef6p-56,
                                              0x1.1a62633145c07p-55};

struct WideArctan2Double {
  [[gnu::always_inline]] static Doubles evaluate(Doubles y, Doubles x) {
    constexpr double kEighths = 0x1.8p49;  // plus this, numbers have 8ths as their last places
    const Doubles high = size_of(y), wide = size_of(x);
    const Doubles above = _mm512_maskz_min_pd(kAllDoubles, high, wide);
    const Doubles below = _mm512_maskz_max_pd(kAllDoubles, high, wide);
    const __mmask8 steep = _mm512_cmp_pd_mask(high, wide, _CMP_GT_OQ);
    const Doubles shifted = fused(above, near_reciprocal(below), all_of(kEighths));
    const Words part = bits_of(shifted);
    const Doubles c = shifted - kEighths;
    const Doubles top = fused_away(c, below, above);
    const Doubles bottom = fused(c, above, below);
    const Doubles t = top / bottom;
    const Doubles t_low = fused_away(t, bottom, top) * near_reciprocal(bottom);
    const Doubles z = t * t;
    const Doubles p =
        wide_polynomial(z, 0x1.37dda2ad01adp-4, -0x1.7459725183675p-4, 0x1.c71c6fddf56e5p-4,
                        -0x1.24924924582d4p-3, 0x1.9999999999948p-3, -0x1.5555555555555p-2);
    const Doubles rest = fused(t * z, p, t_low) + look_up(kAngleLow, part);
    // The angle is the base plus or minus those of the eighth and of t.
    const __mmask8 back = _mm512_movepi64_mask(bits_of(x));
    Doubles base = _mm512_maskz_mov_pd(back, all_of(0x1.921fb54442d18p1));
    Doubles base_low = _mm512_maskz_mov_pd(back, all_of(0x1.1a62633145c07p-53));
    base = _mm512_mask_mov_pd(base, steep, all_of(0x1.921fb54442d18p0));
    base_low = _mm512_mask_mov_pd(base_low, steep, all_of(0x1.1a62633145c07p-54));
    const Doubles signs = _mm512_maskz_mov_pd(static_cast<__mmask8>(steep ^ back), all_of(-0.0));
    const Doubles eighth = with_signs(look_up(kAngleHigh, part), signs);
    const Doubles turned = with_signs(t, signs);
    const Doubles first = base + eighth;
    const Doubles second = first + turned;
    const Doubles lost = ((base - first) + eighth) + ((first - second) + turned);
    const Doubles angle = second + (lost + (base_low + with_signs(rest, signs)));
    const Doubles result = with_signs(angle, sign_of(y));
    const auto small =
        static_cast<__mmask8>(_mm512_cmp_pd_mask(above, all_of(0x1p-500), _CMP_LT_OQ) &
                              _mm512_cmp_pd_mask(above, Doubles{}, _CMP_NEQ_OQ));
    const unsigned other = small | _mm512_cmp_pd_mask(below, all_of(0x1p500), _CMP_NLE_UQ) |
                           _mm512_cmp_pd_mask(below, all_of(0x1p-500), _CMP_LT_OQ) |
                           _mm512_cmp_pd_mask(y, x, _CMP_UNORD_Q);
    if (__builtin_expect(other == 0, 1)) return result;
    // Sizes near the ends of the range, two zeros and what is not finite.
    return with_lanes_of([](double a, double b) { return arctan2(a, b); }, y, x, result, other);
  }
};

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE
#endif
