// Places of the largest and smallest values.

#include "platforms/cpu/kernels/rows.h"

namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

template <typename T>
[[gnu::always_inline]] inline bool is_nan(T value) {
  if constexpr (Real<T> || is_complex<T>) {
    return isnan(value);
  } else {
    return false;
  }
}

// Whether `value` takes the place of `best`; never after a NaN.
template <bool Largest, typename T>
[[gnu::always_inline]] inline bool better(T value, T best) {
  const bool beyond = Largest ? less(best, value) : less(value, best);
  return beyond || (is_nan(value) && !is_nan(best));
}

constexpr int64_t kBlock = 128;
constexpr int64_t kLanes = 64;

// As wide as what is compared, so that flags and values are vectors of one length.
template <typename T>
using Flag =
    select_t<sizeof(T) == 1, int8_t,
             select_t<sizeof(T) == 2, int16_t, select_t<sizeof(T) == 4, int32_t, int64_t>>>;

// Whether `values` has a NaN or a value beyond `best`. Without branches, so that it is vectorised.
template <bool Largest, typename T>
[[gnu::always_inline]] inline bool any_better(const T* values, compute_t<T> best) {
  using Any = Flag<compute_t<T>>;
  Any any = 0;
  for (int64_t i = 0; i < kBlock; ++i) {
    const compute_t<T> value = widen(values[i]);
    if constexpr (Real<compute_t<T>>) {  // one comparison, which no NaN passes
      any |= static_cast<Any>(!(Largest ? value <= best : best <= value));
    } else {
      const bool beyond = Largest ? less(best, value) : less(value, best);
      any |= static_cast<Any>(beyond) | static_cast<Any>(is_nan(value));
    }
  }
  return any != 0;
}

// The best of the first 2 * Half lanes goes to the first one.
template <bool Largest, typename T, int Half>
[[gnu::always_inline]] inline void keep_first_of_halves(T* lanes) {
  for (int i = 0; i < Half; ++i) {
    const T value = lanes[i + Half];
    lanes[i] = (Largest ? lanes[i] < value : value < lanes[i]) ? value : lanes[i];
  }
  if constexpr (Half > 1) keep_first_of_halves<Largest, T, Half / 2>(lanes);
}

// The place of the first of the largest values of a block; -1 if there are NaNs.
template <bool Largest, typename T>
[[gnu::always_inline]] inline int64_t best_place(const T* values) {
  Flag<T> nans = 0;
  for (int64_t i = 0; i < kBlock; ++i) nans |= static_cast<Flag<T>>(is_nan(values[i]));
  if (nans != 0) return -1;
  T lanes[kLanes];
  for (int64_t i = 0; i < kLanes; ++i) lanes[i] = values[i];
  for (int64_t i = kLanes; i < kBlock; i += kLanes) {
    for (int64_t k = 0; k < kLanes; ++k) {
      const T value = values[i + k];
      lanes[k] = (Largest ? lanes[k] < value : value < lanes[k]) ? value : lanes[k];
    }
  }
  keep_first_of_halves<Largest, T, kLanes / 2>(lanes);
  const T best = lanes[0];
  for (int64_t i = 0; i < kBlock; i += kLanes) {
    Flag<T> here = 0;
    for (int64_t k = 0; k < kLanes; ++k) here |= static_cast<Flag<T>>(values[i + k] == best);
    for (int64_t k = 0; here != 0 && k < kLanes; ++k) {
      if (values[i + k] == best) return i + k;
    }
  }
  return -1;
}

// The first of the booleans that is `value`; -1: none.
inline int64_t first_place(const bool* values, int64_t count, bool value) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    uint64_t bytes;
    __builtin_memcpy(&bytes, values + i, 8);
    constexpr uint64_t kOnes = 0x0101010101010101u;
    if (value ? bytes != 0 : ((bytes - kOnes) & ~bytes & (kOnes << 7)) != 0) break;
  }
  for (; i < count; ++i) {
    if (element(values, i) == value) return i;
  }
  return -1;
}

template <bool Largest, typename T>
void along_loop(const void* values, int64_t count, int64_t first_index,
                cupola::cpu::Extremum& best) {
  const auto* v = static_cast<const T*>(values);
  auto* kept = reinterpret_cast<T*>(best.value);
  int64_t i = 0;
  if (best.index < 0) {
    *kept = v[0];
    best.index = first_index;
    i = 1;
  }
  const auto take = [&](int64_t place) {
    *kept = v[place];
    best.index = first_index + place;
  };
  if constexpr (is_same<T, bool>) {
    const int64_t place = *kept == Largest ? -1 : first_place(v, count, Largest);
    if (place >= 0) take(place);
    return;
  }
  if (is_nan(widen(*kept))) return;
  while (i < count) {
    // The last block begins among values that were looked at: none of them is better.
    if (count - i < kBlock && count >= kBlock) i = count - kBlock;
    if (count - i >= kBlock && !any_better<Largest>(v + i, widen(*kept))) {
      i += kBlock;
      continue;
    }
    const int64_t end = count - i >= kBlock ? i + kBlock : count;
    if constexpr (Integer<T> || Real<T>) {
      const int64_t place = end - i == kBlock ? best_place<Largest>(v + i) : -1;
      if (place >= 0) {
        take(i + place);
        i = end;
        continue;
      }
    }
    for (; i < end; ++i) {
      if (better<Largest>(widen(v[i]), widen(*kept))) take(i);
    }
    if (is_nan(widen(*kept))) return;
  }
}

template <bool Largest, typename T>
void across_loop(const void* values, int64_t count, int64_t index, void* best_values,
                 int64_t* best_indices) {
  const auto* v = static_cast<const T*>(values);
  auto* best = static_cast<T*>(best_values);
  if (index == 0) {
    for (int64_t i = 0; i < count; ++i) {
      best[i] = v[i];
      best_indices[i] = 0;
    }
    return;
  }
  CUPOLA_CPU_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) {
    const bool take = better<Largest>(widen(v[i]), widen(best[i]));
    best[i] = take ? v[i] : best[i];
    best_indices[i] = take ? index : best_indices[i];
  }
}

template <int D = 0>
void add_types(cupola::cpu::KernelTables& tables) {
  if constexpr (D < cupola::kDTypeCount) {
    using T = device_type_t<static_cast<cupola::DType>(D)>;
    tables.extrema[0][D] = {along_loop<false, T>, across_loop<false, T>};
    tables.extrema[1][D] = {along_loop<true, T>, across_loop<true, T>};
    add_types<D + 1>(tables);
  }
}

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE

namespace cupola::cpu {

void CUPOLA_CPU_JOIN(add_extremum_kernels_, CUPOLA_CPU_TARGET)(KernelTables& tables) {
  CUPOLA_DEVICE_NAMESPACE::add_types(tables);
}

}  // namespace cupola::cpu
