#pragma once
// 16-bit floats to float and back, many at a time.

#include "platforms/cpu/kernels/target.h"

#ifdef __F16C__
#include <immintrin.h>
#endif

namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

inline void widen_block(const bfloat16* from, float* to, int64_t count) {
  CUPOLA_CPU_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) to[i] = to_float(from[i]);
}

inline void narrow_block(const float* from, bfloat16* to, int64_t count) {
  CUPOLA_CPU_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) to[i] = to_bfloat16(from[i]);
}

inline void widen_block(const float16* from, float* to, int64_t count) {
  int64_t i = 0;
#ifdef __AVX512F__
  // What is stored in halves of a register is not passed on to whole ones that are loaded next.
  for (; i + 16 <= count; i += 16) {
    const __m256i halves = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i));
    _mm512_storeu_ps(to + i, _mm512_maskz_cvtph_ps(0xffff, halves));
  }
#endif
#ifdef __F16C__
  for (; i + 8 <= count; i += 8) {
    _mm256_storeu_ps(to + i,
                     _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i))));
  }
#endif
  for (; i < count; ++i) to[i] = to_float(from[i]);
}

inline void narrow_block(const float* from, float16* to, int64_t count) {
  int64_t i = 0;
#ifdef __AVX512F__
  for (; i + 16 <= count; i += 16) {
    const __m256i halves =
        _mm512_maskz_cvtps_ph(0xffff, _mm512_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), halves);
  }
#endif
#ifdef __F16C__
  for (; i + 8 <= count; i += 8) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i),
                     _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
  }
#endif
  for (; i < count; ++i) to[i] = to_float16(from[i]);
}

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE
