#pragma once
// float64 to integers of at most 32 bits by the instruction of AVX-512, which gives the lowest one
// for what they cannot hold, as cast() does.

#include "platforms/cpu/kernels/target.h"

#ifdef __AVX512DQ__
#include <immintrin.h>
#endif

namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

// How many elements of the front are done.
template <typename To, typename From>
int64_t truncate_front(const From*, To*, int64_t) {
  return 0;
}

#ifdef __AVX512DQ__
template <typename To>
requires(Integer<To> && sizeof(To) <= 4 && !is_same<To, uint32_t>) int64_t
    truncate_front(const double* from, To* to, int64_t count) {
  constexpr __mmask8 kAll = 0xff;
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m256i whole = _mm512_maskz_cvttpd_epi32(kAll, _mm512_loadu_pd(from + i));
    if constexpr (sizeof(To) == 4) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), whole);
    } else if constexpr (sizeof(To) == 2) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i),
                       _mm256_maskz_cvtepi32_epi16(kAll, whole));
    } else {
      _mm_storel_epi64(reinterpret_cast<__m128i*>(to + i), _mm256_maskz_cvtepi32_epi8(kAll, whole));
    }
  }
  return i;
}
#endif

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE
