#pragma once
// The largest and smallest values of a block that stays in the first cache, and where they are:
// first the value, by vectors, then its place, which few blocks need.

#include "platforms/cpu/kernels/target.h"

#ifdef __AVX512BW__
#include <immintrin.h>
#endif

namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

// As wide as what is compared, so that flags and values are vectors of one length.
template <typename T>
using Flag =
    select_t<sizeof(T) == 1, int8_t,
             select_t<sizeof(T) == 2, int16_t, select_t<sizeof(T) == 4, int32_t, int64_t>>>;

// Values that are compared side by side, and those of short blocks.
template <typename T>
constexpr int kSideBySide = 256 / sizeof(T);
template <typename T>
constexpr int kFewSideBySide = 64 / sizeof(T);

// Joins 2 * Half lanes until `Parts` are left.
template <bool Largest, int Parts, int Half, typename T>
[[gnu::always_inline]] inline void join_extremes(T* lanes) {
  for (int k = 0; k < Half; ++k) {
    const T value = lanes[k + Half];
    lanes[k] = (Largest ? value > lanes[k] : value < lanes[k]) ? value : lanes[k];
  }
  if constexpr (Half > Parts) join_extremes<Largest, Parts, Half / 2>(lanes);
}

// The extreme one of every first one of `Parts` values, of `count` >= Lanes values; false if there
// is a NaN among all of them.
template <bool Largest, int Parts, int Lanes, typename T>
[[gnu::always_inline]] inline bool extreme_of(const T* values, int64_t count, T& extreme) {
  T lanes[Lanes];
  Flag<T> nans[Lanes];
  for (int k = 0; k < Lanes; ++k) {
    lanes[k] = values[k];
    nans[k] = static_cast<Flag<T>>(values[k] != values[k]);
  }
  int64_t i = 0;
  while (i + Lanes < count) {
    // The last ones begin among values that were looked at.
    i = i + 2 * Lanes < count ? i + Lanes : count - Lanes;
    CUPOLA_CPU_INDEPENDENT
    for (int k = 0; k < Lanes; ++k) {
      const T value = values[i + k];
      lanes[k] = (Largest ? value > lanes[k] : value < lanes[k]) ? value : lanes[k];
      nans[k] |= static_cast<Flag<T>>(value != value);
    }
  }
  Flag<T> any = 0;
  for (int k = 0; k < Lanes; ++k) any |= nans[k];
  join_extremes<Largest, Parts, Lanes / 2>(lanes);
  extreme = lanes[0];
  return any == 0;
}

#ifdef __AVX512BW__

// A bit for each of the values in 64 bytes: whether it is `wanted`.
template <typename T>
[[gnu::always_inline]] inline uint64_t equal_bits(const T* values, T wanted) {
  if constexpr (is_same<T, float>) {
    return _mm512_cmp_ps_mask(_mm512_loadu_ps(values), _mm512_set1_ps(wanted), _CMP_EQ_OQ);
  } else if constexpr (is_same<T, double>) {
    return _mm512_cmp_pd_mask(_mm512_loadu_pd(values), _mm512_set1_pd(wanted), _CMP_EQ_OQ);
  } else {
    const __m512i v = _mm512_loadu_si512(values);
    if constexpr (sizeof(T) == 1) {
      return _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8(static_cast<char>(wanted)));
    } else if constexpr (sizeof(T) == 2) {
      return _mm512_cmpeq_epi16_mask(v, _mm512_set1_epi16(static_cast<short>(wanted)));
    } else if constexpr (sizeof(T) == 4) {
      return _mm512_cmpeq_epi32_mask(v, _mm512_set1_epi32(static_cast<int>(wanted)));
    } else {
      return _mm512_cmpeq_epi64_mask(v, _mm512_set1_epi64(static_cast<long long>(wanted)));
    }
  }
}

// As below, by masks.
template <int Parts, typename T>
[[gnu::always_inline]] inline int64_t first_equal(const T* values, int64_t count, T wanted) {
  constexpr int64_t kLanes = 64 / sizeof(T);
  constexpr uint64_t kPlaces = Parts == 2 ? 0x5555555555555555u : ~uint64_t{0};
  int64_t i = 0;
  // As many vectors at once as one word has bits for, up to four.
  constexpr int64_t kVectors = kLanes <= 16 ? 4 : 64 / kLanes;
  for (; i + kVectors * kLanes <= count; i += kVectors * kLanes) {
    uint64_t bits = equal_bits(values + i, wanted);
#pragma GCC unroll 4
    for (int64_t k = 1; k < kVectors; ++k) {
      bits |= equal_bits(values + i + k * kLanes, wanted) << (k * kLanes);
    }
    bits &= kPlaces;
    if (bits != 0) return i + __builtin_ctzll(bits);
  }
  for (; i + kLanes <= count; i += kLanes) {
    const uint64_t bits = equal_bits(values + i, wanted) & kPlaces;
    if (bits != 0) return i + __builtin_ctzll(bits);
  }
  while (i < count && values[i] != wanted) i += Parts;
  return i;
}

#else

// The first of the values at a multiple of `Parts` that is `wanted`; `count` if there is none.
template <int Parts, typename T>
[[gnu::always_inline]] inline int64_t first_equal(const T* values, int64_t count, T wanted) {
  constexpr int kLanes = kSideBySide<T>;
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    Flag<T> here = 0;
    for (int k = 0; k < kLanes; ++k) here |= static_cast<Flag<T>>(values[i + k] == wanted);
    if (here == 0) continue;
    uint8_t places[kLanes];
    for (int k = 0; k < kLanes; ++k) places[k] = values[i + k] == wanted ? 255 : 0;
    for (int k = 0; k < kLanes; k += 8) {
      uint64_t eight;
      __builtin_memcpy(&eight, places + k, 8);
      if constexpr (Parts == 2) eight &= 0x00FF00FF00FF00FFu;
      if (eight != 0) return i + k + __builtin_ctzll(eight) / 8;
    }
  }
  while (i < count && values[i] != wanted) i += Parts;
  return i;
}

#endif

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE
