#pragma once
// Hyperbolic functions of registers of floats and their inverse functions; those with Half in their
// names only of values that 16-bit floats may have.

#include "platforms/cpu/kernels/wide_exponentials.h"
#include "platforms/cpu/kernels/wide_logarithms.h"

#ifdef __AVX512DQ__
namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

// Half of e^x - 1 and of that over e^x.
struct WideHalfSinh {
  [[gnu::always_inline]] static Floats evaluate(Floats x) {
    const WideLessOne parts(_mm512_maskz_min_ps(kAllFloats, all_of(20.0f), size_of(x)));
    const Floats sum = scaled(parts.value, parts.n) + parts.value / (parts.value + parts.scale);
    return with_signs(0.5f * sum, sign_of(x));
  }
};

struct WideHalfCosh {
  [[gnu::always_inline]] static Floats evaluate(Floats x) {
    const Floats e = WideExp::evaluate(bounded(x, -20.0f, 20.0f));
    return 0.5f * (e + 1.0f / e);
  }
};

// (e^2x - 1) / (e^2x + 1).
struct WideTanh {
  [[gnu::always_inline]] static Floats evaluate(Floats x) {
    const Floats size = _mm512_maskz_min_ps(kAllFloats, all_of(15.0f), size_of(x));
    const WideLessOne parts(size + size);
    const Floats sum = parts.value + (parts.scale + parts.scale);
    return with_signs(parts.value / sum, sign_of(x));
  }
};

struct WideArccosh {
  [[gnu::always_inline]] static Floats evaluate(Floats x) {
    // Of large x the logarithm of 2x.
    const __mmask16 large = _mm512_cmp_ps_mask(x, all_of(0x1p30f), _CMP_GT_OQ);
    const Floats t = x - 1.0f;
    const Floats root = _mm512_maskz_sqrt_ps(kAllFloats, t * (t + 2.0f));
    const Floats below = _mm512_mask_add_ps(t, static_cast<__mmask16>(~large), t, root);
    const Floats value = WideLog1p::evaluate(below);
    const Floats result = _mm512_mask_add_ps(value, large, value, all_of(0x1.62e43p-1f));
    const __mmask16 outside = _mm512_cmp_ps_mask(x, all_of(1.0f), _CMP_NGE_UQ);
    return _mm512_mask_mov_ps(result, outside, all_of(quiet_nan<float>()));
  }
};

struct WideHalfArctanh {
  [[gnu::always_inline]] static Floats evaluate(Floats x) {
    const Floats size = size_of(x);
    return with_signs(0.5f * WideLog1p::evaluate((size + size) / (1.0f - size)), sign_of(x));
  }
};

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE
#endif
