#pragma once
// The largest and smallest values of a block that stays in the first cache, and where they are:
// first the value, by vectors, then its place, which few blocks need.

#include "platforms/cpu/kernels/target.h"

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

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE
