#pragma once
// Real numbers to integers by the instructions that give the lowest one for what they cannot hold,
// as cast() does.

#include "platforms/cpu/kernels/target.h"

#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

// Integers that cast() makes by way of int32, and by way of int64.
template <typename To>
concept Narrow = Integer<To> && sizeof(To) <= 4 && !is_same<To, uint32_t>;
template <typename To>
concept Wide = Integer<To> && !Narrow<To>;

template <typename From>
concept Single = is_same<From, float> || is_same<From, double>;

// How many elements of the front are done.
template <typename To, typename From>
int64_t truncate_front(const From*, To*, int64_t) {
  return 0;
}

#if defined(__AVX512DQ__)
template <Narrow To>
int64_t truncate_front(const double* from, To* to, int64_t count) {
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
#elif defined(__SSE2__)

#ifdef __AVX2__
[[gnu::always_inline]] inline __m256i truncate_eight(const float* from) {
  return _mm256_cvttps_epi32(_mm256_loadu_ps(from));
}
[[gnu::always_inline]] inline __m256i truncate_eight(const double* from) {
  return _mm256_set_m128i(_mm256_cvttpd_epi32(_mm256_loadu_pd(from + 4)),
                          _mm256_cvttpd_epi32(_mm256_loadu_pd(from)));
}

template <Narrow To, Single From>
int64_t truncate_front(const From* from, To* to, int64_t count) {
  int64_t i = 0;
  if constexpr (sizeof(To) == 4) {
    for (; i + 8 <= count; i += 8) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), truncate_eight(from + i));
    }
    return i;
  }
  constexpr int64_t kGroup = 64;
  alignas(32) int32_t whole[kGroup];
  for (; i + kGroup <= count; i += kGroup) {
    for (int64_t k = 0; k < kGroup; k += 8) {
      _mm256_store_si256(reinterpret_cast<__m256i*>(whole + k), truncate_eight(from + i + k));
    }
    for (int64_t k = 0; k < kGroup; ++k) to[i + k] = static_cast<To>(whole[k]);
  }
  return i;
}
#endif

[[gnu::always_inline]] inline int64_t truncate_one(float value) {
  return _mm_cvttss_si64(_mm_set_ss(value));
}
[[gnu::always_inline]] inline int64_t truncate_one(double value) {
  return _mm_cvttsd_si64(_mm_set_sd(value));
}

template <Wide To, Single From>
[[gnu::always_inline]] inline To truncated(From value) {
  if constexpr (is_same<To, uint64_t>) {
    // Values from 2^63 on without it, which is exact; the others as they are.
    constexpr From kHalf = From(0x1p63);
    const bool is_large = value >= kHalf;
    const uint64_t rest = static_cast<uint64_t>(truncate_one(value - (is_large ? kHalf : From(0))));
    return rest ^ (static_cast<uint64_t>(is_large) << 63);
  } else {
    return static_cast<To>(truncate_one(value));
  }
}

// Whether all of them are from `least` on and below `end`.
template <Single From>
[[gnu::always_inline]] inline bool are_within(const From* values, int64_t count, From least,
                                              From end) {
  using Flag = select_t<sizeof(From) == 4, int32_t, int64_t>;
  Flag others = 0;
  for (int64_t i = 0; i < count; ++i) {
    others |= values[i] >= least ? Flag(0) : Flag(1);
    others |= values[i] < end ? Flag(0) : Flag(1);
  }
  return others == 0;
}

#ifdef __AVX2__
// Of values that uint32 holds, by way of whole numbers that are 2^31 less, which is exact.
// False, and nothing is stored, if there is another one among these `count`, a multiple of eight.
[[gnu::always_inline]] inline bool truncate_vectors(const double* from, uint32_t* to,
                                                    int64_t count) {
  const __m256d end = _mm256_set1_pd(0x1p32);
  __m256d outside = _mm256_setzero_pd();
  for (int64_t i = 0; i < count; i += 4) {
    const __m256d value = _mm256_loadu_pd(from + i);
    // Values below zero have the first bit, and so does -0, which may go another way.
    outside = _mm256_or_pd(outside, _mm256_or_pd(value, _mm256_cmp_pd(value, end, _CMP_NLT_UQ)));
  }
  if (_mm256_movemask_pd(outside) != 0) return false;
  for (int64_t i = 0; i < count; i += 4) {
    const __m256d value = _mm256_loadu_pd(from + i);
    const __m128i whole = _mm256_cvttpd_epi32(_mm256_floor_pd(value) - 0x1p31);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i),
                     _mm_xor_si128(whole, _mm_set1_epi32(lowest_value<int32_t>())));
  }
  return true;
}
// The same of values that int32 or uint32 holds: those from 2^31 on without it, which is exact.
[[gnu::always_inline]] inline bool truncate_vectors(const float* from, uint32_t* to,
                                                    int64_t count) {
  constexpr float kHalf = 0x1p31f;
  float rests[8];
  if (!are_within(from, count, -kHalf, 2 * kHalf)) return false;
  for (int64_t i = 0; i < count; i += 8) {
    alignas(32) uint32_t whole[8];
    for (int64_t k = 0; k < 8; ++k) {
      rests[k] = from[i + k] - (from[i + k] >= kHalf ? kHalf : 0.0f);
    }
    _mm256_store_si256(reinterpret_cast<__m256i*>(whole), truncate_eight(rests));
    for (int64_t k = 0; k < 8; ++k) {
      to[i + k] = whole[k] ^ (from[i + k] >= kHalf ? uint32_t{1} << 31 : uint32_t{0});
    }
  }
  return true;
}
#endif

// Groups by vectors where their values let them, others one by one.
template <Wide To, Single From>
int64_t truncate_front(const From* from, To* to, int64_t count) {
  constexpr int64_t kGroup = 32;
  int64_t i = 0;
  for (; i + kGroup <= count; i += kGroup) {
#ifdef __AVX2__
    if constexpr (is_same<To, uint32_t>) {
      if (truncate_vectors(from + i, to + i, kGroup)) continue;
    }
#endif
    if constexpr (is_same<To, uint64_t>) {
      if (are_within(from + i, kGroup, -From(0x1p63), From(0x1p63))) {
        for (int64_t k = i; k < i + kGroup; ++k) to[k] = static_cast<To>(truncate_one(from[k]));
        continue;
      }
    }
    for (int64_t k = i; k < i + kGroup; k += 4) {
      const To a = truncated<To>(from[k]), b = truncated<To>(from[k + 1]),
               c = truncated<To>(from[k + 2]), d = truncated<To>(from[k + 3]);
      to[k] = a;
      to[k + 1] = b;
      to[k + 2] = c;
      to[k + 3] = d;
    }
  }
  return i;
}
#endif

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE
