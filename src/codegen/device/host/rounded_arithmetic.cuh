// CUDA's functions with a direction of rounding in their name: __fadd_rn, __dsqrt_ru, ...
#ifndef CUPOLA_DEVICE_HOST_ROUNDED_ARITHMETIC
#define CUPOLA_DEVICE_HOST_ROUNDED_ARITHMETIC

#include "codegen/device/host/rounding.cuh"

#define CUPOLA_HOST_BINARY(NAME, T, FUNCTION, DIRECTION) \
  inline T NAME(T a, T b) { return cupola_host::FUNCTION<cupola_host::DIRECTION>(a, b); }
#define CUPOLA_HOST_FMA(NAME, T, DIRECTION)                            \
  inline T NAME(T a, T b, T c) {                                       \
    return cupola_host::multiply_add<cupola_host::DIRECTION>(a, b, c); \
  }
#define CUPOLA_HOST_ROUNDED(PREFIX, T, SUFFIX, DIRECTION)                                 \
  CUPOLA_HOST_BINARY(__##PREFIX##add_##SUFFIX, T, add, DIRECTION)                         \
  CUPOLA_HOST_BINARY(__##PREFIX##mul_##SUFFIX, T, multiply, DIRECTION)                    \
  CUPOLA_HOST_BINARY(__##PREFIX##div_##SUFFIX, T, divide, DIRECTION)                      \
  inline T __##PREFIX##sub_##SUFFIX(T a, T b) { return __##PREFIX##add_##SUFFIX(a, -b); } \
  inline T __##PREFIX##rcp_##SUFFIX(T a) { return __##PREFIX##div_##SUFFIX(T(1), a); }    \
  inline T __##PREFIX##sqrt_##SUFFIX(T a) { return cupola_host::root<cupola_host::DIRECTION>(a); }
#define CUPOLA_HOST_DIRECTION(SUFFIX, DIRECTION)          \
  CUPOLA_HOST_ROUNDED(f, float, SUFFIX, DIRECTION)        \
  CUPOLA_HOST_ROUNDED(d, double, SUFFIX, DIRECTION)       \
  CUPOLA_HOST_FMA(__fmaf_##SUFFIX, float, DIRECTION)      \
  CUPOLA_HOST_FMA(__fmaf_ieee_##SUFFIX, float, DIRECTION) \
  CUPOLA_HOST_FMA(__fma_##SUFFIX, double, DIRECTION)
CUPOLA_HOST_DIRECTION(rn, Rounding::nearest)
CUPOLA_HOST_DIRECTION(rz, Rounding::zero)
CUPOLA_HOST_DIRECTION(ru, Rounding::up)
CUPOLA_HOST_DIRECTION(rd, Rounding::down)
#undef CUPOLA_HOST_DIRECTION
#undef CUPOLA_HOST_ROUNDED
#undef CUPOLA_HOST_FMA
#undef CUPOLA_HOST_BINARY

inline float __frsqrt_rn(float a) { return cupola_host::reciprocal_root(a); }

#endif
