#pragma once
// Powers of registers of doubles, as those of floats (wide_power.h): the logarithm is a sum of two
// doubles, with 1 / m of 5 bits and a table of 16 places, first parts of which have 40 bits behind
// the point.

#include "platforms/cpu/kernels/wide_doubles.h"
#include "platforms/cpu/kernels/wide_power.h"

#ifdef __AVX512DQ__
namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

alignas(64) constexpr double kLog2PartHigh[16] = {0x0p0,
                                                  -0x1.663f6fac9p-4,
                                                  -0x1.5c01a39fcp-3,
                                                  -0x1.fbc16b9028p-3,
                                                  -0x1.49a784bcdp-2,
                                                  -0x1.91bba891fp-2,
                                                  -0x1.d6753e033p-2,
                                                  -0x1.0c10500d64p-1,
                                                  -0x1.2b803473f8p-1,
                                                  -0x1.49a784bcd2p-1,
                                                  -0x1.66a008e478p-1,
                                                  -0x1.82809d5be8p-1,
                                                  -0x1.9d5d9fd502p-1,
                                                  -0x1.b74948f554p-1,
                                                  -0x1.d053f6d26p-1,
                                                  -0x1.e88c6b3626p-1};
alignas(64) constexpr double kLog2PartLow[16] = {0x0p0,
                                                 -0x1.3167ccc538261p-44,
                                                 0x1.4bc302ffa76fbp-42,
                                                 0x1.7f5dc57266758p-43,
                                                 -0x1.b8afe492bf6ffp-42,
                                                 -0x1.708b4b2b5056cp-42,
                                                 0x1.5f101c141e67p-42,
                                                 0x1.5669df6a2b592p-43,
                                                 0x1.4bc302ffa76fbp-43,
                                                 0x1.1d406db502403p-43,
                                                 -0x1.1979a5db68722p-42,
                                                 0x1.f1a4847f7b278p-42,
                                                 0x1.e9933354dbf17p-42,
                                                 0x1.a4b69691d7994p-42,
                                                 -0x1.12ce6312ebb82p-42,
                                                 -0x1.4e55443478fep-42};

// Of positive finite x.
struct WideLog2Pairs {
  Doubles high, low;
  [[gnu::always_inline]] explicit WideLog2Pairs(Doubles x) {
    constexpr double kHigh = 0x1.71547652b82fep0, kLow = 0x1.777d0ffda0d24p-56;  // 1 / log 2
    const WideMantissa parts(
        x, _mm512_maskz_getmant_pd(kAllDoubles, x, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_zero));
    const Doubles r = parts.r;  // exact
    // r / log 2 - r^2 / (2 log 2), and what products lose.
    const Doubles first = r * kHigh;
    const Doubles first_lost = fused(r, all_of(kLow), fused(r, all_of(kHigh), -first));
    const Doubles square = r * r;
    const Doubles square_lost = fused(r, r, -square);
    const Doubles second = square * (-0.5 * kHigh);
    const Doubles second_lost =
        fused(square_lost, all_of(-0.5 * kHigh),
              fused(square, all_of(-0.5 * kLow), fused(square, all_of(-0.5 * kHigh), -second)));
    const Doubles rest =
        (square * r) *
        wide_polynomial(r, 0x1.0d1ca20b227f4p-3, -0x1.2803ad0012d8cp-3, 0x1.484afb10ec06ep-3,
                        -0x1.71545b7775a33p-3, 0x1.a61762a96bc35p-3, -0x1.ec709dc58581p-3,
                        0x1.2776c50ef9bbbp-2, -0x1.71547652b82b4p-2, 0x1.ec709dc3a03fdp-2);
    const Doubles whole = parts.exponent + look_up(kLog2PartHigh, parts.part);
    const Doubles sum = whole + first;
    high = sum + second;
    const Doubles sums_lost = ((whole - sum) + first) + ((sum - high) + second);
    low = sums_lost + ((look_up(kLog2PartLow, parts.part) + rest) + (first_lost + second_lost));
  }
};

struct WidePowerDouble {
  [[gnu::always_inline]] static Doubles evaluate(Doubles x, Doubles y) {
    constexpr int kNan = 0x01 | 0x80, kInfinite = 0x08 | 0x10, kNotAbove = 0x02 | 0x04 | 0x40;
    const WideLog2Pairs log2(x);
    const Doubles all = y * log2.high;
    const Doubles product = bounded(all, -1300.0, 1300.0);  // beyond these, 0 and infinity
    const __mmask8 inside = _mm512_cmp_pd_mask(all, product, _CMP_EQ_OQ);
    const Doubles lost = _mm512_maskz_fmadd_pd(inside, y, log2.low, fused(y, log2.high, -all));
    const Doubles shifted = (product + lost) + 0x1.8p48;  // in 16ths
    const Doubles n = shifted - 0x1.8p48;
    const Doubles f = (product - n) + lost;
    const Doubles less_one =
        f * wide_polynomial(f, 0x1.430a1d43039d9p-13, 0x1.5d897ecf6988dp-10, 0x1.3b2ab6fb41188p-7,
                            0x1.c6b08d6f296cfp-5, 0x1.ebfbdff82c59p-3, 0x1.62e42fefa39f3p-1);
    const Doubles root = look_up(kWideRoots, bits_of(shifted));
    const Doubles low = look_up(kWideRootsLow, bits_of(shifted));
    Doubles result = scaled(root + fused(root, less_one, low), n);
    const __mmask8 not_above = _mm512_fpclass_pd_mask(x, kNotAbove);
    if (__builtin_expect(not_above != 0, 0)) result = power_with_sign(x, y, result);
    const unsigned other = _mm512_fpclass_pd_mask(x, kNan | kInfinite) |
                           (_mm512_fpclass_pd_mask(all, kNan) & static_cast<unsigned>(~not_above)) |
                           (_mm512_fpclass_pd_mask(y, kInfinite | kNan) & not_above);
    if (__builtin_expect(other == 0, 1)) return result;
    return with_lanes_of([](double a, double b) { return power(a, b); }, x, y, result, other);
  }
};

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE
#endif
