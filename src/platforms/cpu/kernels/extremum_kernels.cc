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

constexpr int64_t kBlock = 512;

// Whether any value of a block may be better: without branches, so that it is vectorised.
template <bool Largest, typename T>
[[gnu::always_inline]] inline bool any_better(const T* values, compute_t<T> best) {
  int any = 0;
  for (int64_t i = 0; i < kBlock; ++i) {
    const compute_t<T> value = widen(values[i]);
    const bool beyond = Largest ? less(best, value) : less(value, best);
    any |= static_cast<int>(beyond) | static_cast<int>(is_nan(value));
  }
  return any != 0;
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
  compute_t<T> current = widen(*kept);
  if (is_nan(current)) return;
  while (i < count) {
    if (count - i >= kBlock && !any_better<Largest>(v + i, current)) {
      i += kBlock;
      continue;
    }
    const int64_t end = count - i >= kBlock ? i + kBlock : count;
    for (; i < end; ++i) {
      if (better<Largest>(widen(v[i]), current)) {
        *kept = v[i];
        current = widen(v[i]);
        best.index = first_index + i;
      }
    }
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
