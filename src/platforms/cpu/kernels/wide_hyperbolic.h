#pragma once
// Hyperbolic functions of registers of floats and their inverse functions; those with Half in their
// names only of values that 16-bit floats may have.

#include "platforms/cpu/kernels/wide_exponentials.h"
#include "platforms/cpu/kernels/wide_logarithms.h"

#ifdef __AVX512DQ__
namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

struct WideHalfSinh {
  [[gnu::always_inline]] static Floats evaluate(Floats x) {
    const Floats e = WideExpm1::evaluate(bounded(size_of(x), 0.0f, 20.0f));
    return with_signs(0.5f * (e + e / (e + 1.0f)), sign_of(x));
  }
};

struct WideHalfCosh {
  [[gnu::always_inline]] static Floats evaluate(Floats x) {
    const Floats e = WideExp::evaluate(bounded(x, -20.0f, 20.0f));
    return 0.5f * (e + 1.0f / e);
  }
};

struct WideTanh {
  [[gnu::always_inline]] static Floats evaluate(Floats x) {
    const Floats size = bounded(size_of(x), 0.0f, 15.0f);
    const Floats e = WideExpm1::evaluate(size + size);
    return with_signs(e / (e + 2.0f), sign_of(x));
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
