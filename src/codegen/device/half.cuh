// Conversion between 16-bit floats and float or double, to nearest, ties to even.
#ifndef CUPOLA_DEVICE_HALF
#define CUPOLA_DEVICE_HALF

#ifndef __CUDACC_RTC__
#include "codegen/device/types.cuh"
#endif

namespace CUPOLA_DEVICE_NAMESPACE {

CUPOLA_FN float to_float(float16 half) {
#ifdef __CUDA_ARCH__
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(half.bits));
  return value;
#else
  const uint32_t sign = static_cast<uint32_t>(half.bits & 0x8000u) << 16;
  const uint32_t exponent = (half.bits >> 10) & 0x1Fu;
  const uint32_t mantissa = half.bits & 0x3FFu;
  if (exponent == 0x1F) return bit_cast<float>(sign | 0x7F800000u | (mantissa << 13));
  if (exponent != 0) return bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
  // Subnormal halves are exact multiples of 2^-24.
  return bit_cast<float>(sign | bit_cast<uint32_t>(static_cast<float>(mantissa) * 0x1p-24f));
#endif
}

CUPOLA_FN float to_float(bfloat16 half) {
  return bit_cast<float>(static_cast<uint32_t>(half.bits) << 16);
}

CUPOLA_FN float16 to_float16(float value) {
#ifdef __CUDA_ARCH__
  float16 half;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half.bits) : "f"(value));
  return half;
#else
  const uint32_t bits = bit_cast<uint32_t>(value);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  const uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) {
    return {static_cast<uint16_t>(sign | 0x7E00u | ((magnitude >> 13) & 0x3FFu))};
  }
  if (magnitude >= 0x477FF000u) return {static_cast<uint16_t>(sign | 0x7C00u)};
  if (magnitude < 0x38800000u) {
    // Adding 0.5 aligns the subnormal's last place with float's: the addition rounds for us.
    const float shifted = bit_cast<float>(magnitude) + 0.5f;
    return {static_cast<uint16_t>(sign | (bit_cast<uint32_t>(shifted) - 0x3F000000u))};
  }
  const uint32_t odd = (magnitude >> 13) & 1u;
  return {static_cast<uint16_t>(sign | ((magnitude - 0x38000000u + 0xFFFu + odd) >> 13))};
#endif
}

CUPOLA_FN bfloat16 to_bfloat16(float value) {
  const uint32_t bits = bit_cast<uint32_t>(value);
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return {static_cast<uint16_t>((bits >> 16) | 0x40u)};
  return {static_cast<uint16_t>((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16)};
}

// The float towards zero from `value`, its last bit set if inexact: a second rounding to fewer
// bits then rounds as a single one from `value` would.
CUPOLA_FN float round_to_odd(double value) {
  const float nearest = static_cast<float>(value);
  const double back = static_cast<double>(nearest);
  if (back == value || value != value) return nearest;
  const bool away = (back < 0 ? -back : back) > (value < 0 ? -value : value);
  return bit_cast<float>((bit_cast<uint32_t>(nearest) - (away ? 1u : 0u)) | 1u);
}

CUPOLA_FN float16 to_float16(double value) { return to_float16(round_to_odd(value)); }
CUPOLA_FN bfloat16 to_bfloat16(double value) { return to_bfloat16(round_to_odd(value)); }

}  // namespace CUPOLA_DEVICE_NAMESPACE

#endif
