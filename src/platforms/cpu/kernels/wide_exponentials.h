#pragma once
// Exponential functions of registers of floats: e^x = 2^n 2^(i/16) e^r, with the 16 roots in a
// register.

#include "platforms/cpu/kernels/wide.h"

#ifdef __AVX512DQ__
namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

alignas(64) constexpr float kRoots[16] = {
    0x1p0f,        0x1.0b5586p0f, 0x1.172b84p0f, 0x1.2387a6p0f, 0x1.306fep0f,  0x1.3dea64p0f,
    0x1.4bfdaep0f, 0x1.5ab07ep0f, 0x1.6a09e6p0f, 0x1.7a1148p0f, 0x1.8ace54p0f, 0x1.9c4918p0f,
    0x1.ae89fap0f, 0x1.c199bep0f, 0x1.d5818ep0f, 0x1.ea4afap0f};

alignas(64) constexpr float kRootsLow[16] = {
    0x0p0f,           0x1.9f3122p-25f,  -0x1.c15742p-27f, 0x1.ceac48p-25f,
    0x1.4636e2p-25f,  0x1.824684p-25f,  -0x1.593abcp-25f, -0x1.5bd5ecp-27f,
    0x1.9fcef4p-26f,  -0x1.829fdp-25f,  0x1.15506ep-27f,  0x1.51f848p-27f,
    -0x1.a94b14p-26f, -0x1.3d56b2p-27f, -0x1.822dbcp-27f, 0x1.52486cp-27f};

constexpr float kSixteenths = 0x1.8p19f;  // plus this, numbers have 16ths as their last places

// e^x = 2^n (1 + e^r - 1), where n has 16ths, that are the number of the root.
struct WideReduced {
  Floats n, r;
  Words number;
  [[gnu::always_inline]] explicit WideReduced(Floats x) {
    constexpr float kHigh = 0x1.62e4p-1f, kLow = 0x1.7f7d1cp-20f;  // of log 2
    const Floats shifted = fused(x, all_of(0x1.715476p0f), all_of(kSixteenths));
    n = shifted - kSixteenths;
    r = fused_away(n, all_of(kLow), fused_away(n, all_of(kHigh), x));
    number = bits_of(shifted);
  }
};

struct WideExp {
  [[gnu::always_inline]] static Floats evaluate(Floats x) {
    const WideReduced reduced(bounded(x, -110.0f, 100.0f));
    const Floats r = reduced.r;
    const Floats less_one = fused(r * r, wide_polynomial(r, 0x1.55565cp-3f, 0x1.00014ap-1f), r);
    const Floats root = look_up(kRoots, reduced.number);
    return scaled(fused(root, less_one, root), reduced.n);
  }
};

struct WideExp2 {
  [[gnu::always_inline]] static Floats evaluate(Floats x) {
    const Floats inside = bounded(x, -160.0f, 140.0f);
    const Floats shifted = inside + kSixteenths;
    const Floats n = shifted - kSixteenths;
    const Floats r = inside - n;
    const Floats less_one = r * wide_polynomial(r, 0x1.c6b29ap-5f, 0x1.ebff92p-3f, 0x1.62e43p-1f);
    const Floats root = look_up(kRoots, bits_of(shifted));
    return scaled(fused(root, less_one, root), n);
  }
};

// e^x - 1 = value / scale, where the scale is a power of two.
struct WideLessOne {
  Floats value, scale, n;
  [[gnu::always_inline]] explicit WideLessOne(Floats x) {
    const WideReduced reduced(x);
    const Floats r = reduced.r;
    const Floats less_one =
        fused(r * r, wide_polynomial(r, 0x1.55565cp-5f, 0x1.5556ep-3f, 0.5f), r);
    const Floats root = look_up(kRoots, reduced.number);
    const Floats rest = fused(root, less_one, look_up(kRootsLow, reduced.number));
    n = floor_of(reduced.n);
    scale = scaled(all_of(1.0f), -n);
    value = (root - scale) + rest;
  }
};

struct WideExpm1 {
  [[gnu::always_inline]] static Floats evaluate(Floats x) {
    const WideLessOne parts(bounded(x, -40.0f, 100.0f));
    const Floats result = scaled(parts.value, parts.n);
    return floats_of(bits_of(result) | bits_of(sign_of(x)));  // zeros have one as well
  }
};

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE
#endif
