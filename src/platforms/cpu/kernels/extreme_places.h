#pragma once
// The largest and smallest values of a row in one pass, and one of them together with its place, of
// a short row: where a place is cannot be foreseen by the processor, and a search for the value
// would end in a wrong guess.

#include "platforms/cpu/kernels/extreme_blocks.h"

#ifdef __AVX2__
#include <immintrin.h>

namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

#ifdef __AVX512BW__
constexpr int kRowBytes = 64;
#else
constexpr int kRowBytes = 32;
#endif

template <typename T, int Bytes = kRowBytes>
struct RowVector {
  typedef T type __attribute__((vector_size(Bytes)));
};
template <typename T, int Bytes = kRowBytes>
using row_vector_t = typename RowVector<T, Bytes>::type;

template <typename T>
[[gnu::always_inline]] inline row_vector_t<compared_t<T>> load_row(const T* from) {
  row_vector_t<compared_t<T>> values;
  __builtin_memcpy(&values, from, sizeof(values));
  if constexpr (kIsTurned<T>) values ^= lowest_value<compared_t<T>>();
  // Compilers would otherwise load once for each use.
  asm("" : "+v"(values));
  return values;
}

template <bool Largest, typename V>
[[gnu::always_inline]] inline V extreme_lanes(V a, V b) {
  return (Largest ? b > a : b < a) ? b : a;
}

// Of all lanes.
template <bool Largest, typename T, int Bytes>
[[gnu::always_inline]] inline T extreme_lane(row_vector_t<T, Bytes> values) {
  if constexpr (Bytes > 16) {
    row_vector_t<T, Bytes / 2> halves[2];
    __builtin_memcpy(halves, &values, Bytes);
    return extreme_lane<Largest, T, Bytes / 2>(extreme_lanes<Largest>(halves[0], halves[1]));
  } else if constexpr (sizeof(T) < 4) {
    T best = values[0];
    for (int k = 1; k < Bytes / static_cast<int>(sizeof(T)); ++k) {
      best = (Largest ? values[k] > best : values[k] < best) ? values[k] : best;
    }
    return best;
  } else if constexpr (sizeof(T) == 8) {
    return extreme_lanes<Largest>(values, __builtin_shufflevector(values, values, 1, 0))[0];
  } else {
    values = extreme_lanes<Largest>(values, __builtin_shufflevector(values, values, 2, 3, 0, 1));
    return extreme_lanes<Largest>(values, __builtin_shufflevector(values, values, 1, 0, 3, 2))[0];
  }
}

// Not zero where a lane of either is NaN.
template <typename V>
[[gnu::always_inline]] inline unsigned unordered_lanes(V, V) {
  return 0;
}
#ifdef __AVX512BW__
[[gnu::always_inline]] inline unsigned unordered_lanes(__m512 a, __m512 b) {
  return _mm512_cmp_ps_mask(a, b, _CMP_UNORD_Q);
}
[[gnu::always_inline]] inline unsigned unordered_lanes(__m512d a, __m512d b) {
  return _mm512_cmp_pd_mask(a, b, _CMP_UNORD_Q);
}
#else
[[gnu::always_inline]] inline unsigned unordered_lanes(__m256 a, __m256 b) {
  return static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_UNORD_Q)));
}
[[gnu::always_inline]] inline unsigned unordered_lanes(__m256d a, __m256d b) {
  return static_cast<unsigned>(_mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_UNORD_Q)));
}
#endif

template <bool Largest>
[[gnu::always_inline]] inline __m256 extreme_lanes(__m256 a, __m256 b) {
  return Largest ? _mm256_max_ps(b, a) : _mm256_min_ps(b, a);
}
template <bool Largest>
[[gnu::always_inline]] inline __m256d extreme_lanes(__m256d a, __m256d b) {
  return Largest ? _mm256_max_pd(b, a) : _mm256_min_pd(b, a);
}

template <typename T>
[[gnu::always_inline]] inline T turned_back(compared_t<T> value) {
  auto result = static_cast<T>(value);
  if constexpr (kIsTurned<T>) result ^= T(1) << 63;
  return result;
}

constexpr int kRowVectors = 4;  // that are compared side by side

// The smallest and largest of `count` values, or one of them, where these are kRowVectors vectors
// at least; false if there is a NaN among them.
template <bool Smallest, bool Largest, typename T>
[[gnu::always_inline]] inline bool extremes_of_row(const T* values, int64_t count, T* smallest,
                                                   T* largest) {
  using Values = row_vector_t<compared_t<T>>;
  constexpr int64_t kLanes = kRowBytes / static_cast<int64_t>(sizeof(T));
  constexpr int64_t kStep = kRowVectors * kLanes;
  Values low[kRowVectors], high[kRowVectors];
#pragma GCC unroll 4
  for (int k = 0; k < kRowVectors; ++k) low[k] = high[k] = load_row<T>(values + k * kLanes);
  unsigned nans = unordered_lanes(low[0], low[1]) | unordered_lanes(low[2], low[3]);
  for (int64_t i = 0; i + kStep < count;) {
    i = i + 2 * kStep < count ? i + kStep : count - kStep;
    Values next[kRowVectors];
#pragma GCC unroll 4
    for (int k = 0; k < kRowVectors; ++k) {
      next[k] = load_row<T>(values + i + k * kLanes);
      if constexpr (Smallest) low[k] = extreme_lanes<false>(low[k], next[k]);
      if constexpr (Largest) high[k] = extreme_lanes<true>(high[k], next[k]);
    }
    nans |= unordered_lanes(next[0], next[1]) | unordered_lanes(next[2], next[3]);
  }
  if (nans != 0) return false;
  const auto join = [&]<bool High>(Values* best, T* result) {
    *result = turned_back<T>(extreme_lane<High, compared_t<T>, kRowBytes>(extreme_lanes<High>(
        extreme_lanes<High>(best[0], best[1]), extreme_lanes<High>(best[2], best[3]))));
  };
  if constexpr (Smallest) join.template operator()<false>(low, smallest);
  if constexpr (Largest) join.template operator()<true>(high, largest);
  return true;
}

#ifndef __AVX512BW__
// A bit for each of the values in 32 bytes: whether it is `wanted`.
template <typename T>
[[gnu::always_inline]] inline uint64_t equal_bits(const T* values, T wanted) {
  row_vector_t<T> here;
  __builtin_memcpy(&here, values, sizeof(here));
  const auto equal = here == wanted;
  return static_cast<unsigned>(sizeof(T) == 4
                                   ? _mm256_movemask_ps(reinterpret_cast<__m256>(equal))
                                   : _mm256_movemask_pd(reinterpret_cast<__m256d>(equal)));
}
#endif

// The extreme one of `count` >= kSideBySide<T> values of 4 or 8 bytes, fewer than Flag<T> counts,
// and the first place that it has; false if there is a NaN among them. Each lane keeps the first
// group of vectors with its extreme value; the place is searched in one group at the end.
template <bool Largest, typename T>
[[gnu::always_inline]] inline bool find_in_row(const T* values, int64_t count, T& extreme,
                                               int64_t& place) {
  using Place = Flag<T>;
  using Values = row_vector_t<compared_t<T>>;
  using Places = row_vector_t<Place>;
  constexpr int kLanes = kRowBytes / sizeof(T), kStep = kRowVectors * kLanes;
  unsigned nans = 0;
  const auto extreme_of_group = [&](int64_t first) __attribute__((always_inline)) {
    Values group[kRowVectors];
#pragma GCC unroll 4
    for (int k = 0; k < kRowVectors; ++k) group[k] = load_row<T>(values + first + k * kLanes);
    nans |= unordered_lanes(group[0], group[1]) | unordered_lanes(group[2], group[3]);
    return extreme_lanes<Largest>(extreme_lanes<Largest>(group[0], group[1]),
                                  extreme_lanes<Largest>(group[2], group[3]));
  };
  Values best = extreme_of_group(0);
  Places places{};
  // The second one begins where a register is aligned, the last one among those before.
  int64_t i = -static_cast<int64_t>(reinterpret_cast<::uintptr_t>(values) % kRowBytes / sizeof(T));
  while (i + kStep < count) {
    i = i + 2 * kStep < count ? i + kStep : count - kStep;
    const Places here = Places{} + static_cast<Place>(i);
    const Values next = extreme_of_group(i);
    places = (Largest ? next > best : next < best) ? here : places;
    best = extreme_lanes<Largest>(best, next);
  }
  if (nans != 0) return false;
  const auto found = extreme_lane<Largest, compared_t<T>, kRowBytes>(best);
  extreme = turned_back<T>(found);
  const Places none = Places{} + highest_value<Place>();
  place = extreme_lane<false, Place, kRowBytes>(best == found ? places : none);
  uint64_t bits = 0;
#pragma GCC unroll 4
  for (int k = 0; k < kRowVectors; ++k) {
    bits |= equal_bits(values + place + k * kLanes, extreme) << (k * kLanes);
  }
  place += __builtin_ctzll(bits);
  return true;
}

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE
#endif

namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

// The extreme one of every first one of `Parts` values, by as many side by side as there are; false
// if there are few, or a NaN among them.
template <bool Largest, int Parts, typename T>
[[gnu::always_inline]] inline bool extreme_side_by_side(const T* values, int64_t count,
                                                        T& extreme) {
  if (count < kFewSideBySide<T>) return false;
#ifdef __AVX2__
  if constexpr (Parts == 1) {
    if (count >= kRowVectors * kRowBytes / static_cast<int64_t>(sizeof(T))) {
      return extremes_of_row<!Largest, Largest>(values, count, &extreme, &extreme);
    }
    return extreme_of<Largest, Parts, kFewSideBySide<T>>(values, count, extreme);
  }
#endif
  if (count < kSideBySide<T>) {
    return extreme_of<Largest, Parts, kFewSideBySide<T>>(values, count, extreme);
  }
  return extreme_of<Largest, Parts, kSideBySide<T>>(values, count, extreme);
}

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE
