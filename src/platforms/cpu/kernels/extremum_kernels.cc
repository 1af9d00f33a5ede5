// Places of the largest and smallest values.

#include "platforms/cpu/kernels/choices.h"
#include "platforms/cpu/kernels/extreme_places.h"
#include "platforms/cpu/kernels/half_blocks.h"
#include "platforms/cpu/kernels/rows.h"

namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

template <typename T>
[[gnu::always_inline]] inline bool is_nan(T value) {
  if constexpr (is_complex<T>) {
    return is_unordered(value);
  } else {
    return value != value;
  }
}

template <typename T>
[[gnu::always_inline]] inline bool is_before(T a, T b) {
  if constexpr (is_complex<T>) {
    return is_less(a, b);
  } else {
    return a < b;
  }
}

// Whether `value` takes the place of `best`; never after a NaN.
template <bool Largest, typename T>
[[gnu::always_inline]] inline bool better(T value, T best) {
  const bool beyond = Largest ? is_before(best, value) : is_before(value, best);
  const bool value_is_nan = is_nan(value);
  const bool best_is_nan = is_nan(best);
  return beyond | (value_is_nan & !best_is_nan);
}

// Bits at the ends of bytes, of which the first is in the first of eight booleans that is Wanted;
// zero if none is.
template <bool Wanted>
[[gnu::always_inline]] inline uint64_t marks_of(const bool* values) {
  constexpr uint64_t kOnes = 0x0101010101010101u;
  uint64_t bytes;
  __builtin_memcpy(&bytes, values, 8);
  return Wanted ? bytes : (bytes - kOnes) & ~bytes & (kOnes << 7);
}

constexpr int64_t kBooleans = 1024;  // that are looked at together
template <bool Wanted>
[[gnu::always_inline]] inline bool is_among(const bool* values) {
  const auto* bytes = reinterpret_cast<const int8_t*>(values);
  int8_t any = 0;
  for (int64_t k = 0; k < kBooleans; ++k) {
    any |= Wanted ? bytes[k] : static_cast<int8_t>(bytes[k] == 0);
  }
  return any != 0;
}

template <bool Wanted>
[[gnu::noinline]] int64_t place_from(const bool* values, int64_t i, int64_t count) {
  while (i + kBooleans <= count && !is_among<Wanted>(values + i)) i += kBooleans;
  for (; i + 8 <= count; i += 8) {
    const uint64_t marks = marks_of<Wanted>(values + i);
    if (marks != 0) return i + __builtin_ctzll(marks) / 8;
  }
  for (; i < count; ++i) {
    if (element(values, i) == Wanted) return i;
  }
  return -1;
}

// The first of the booleans that is Wanted, which often is among eight; -1: none.
template <bool Wanted>
[[gnu::always_inline]] inline int64_t first_place(const bool* values, int64_t count) {
  const uint64_t marks = count < 8 ? 0 : marks_of<Wanted>(values);
  if (marks != 0) return __builtin_ctzll(marks) / 8;
  return place_from<Wanted>(values, count < 8 ? 0 : 8, count);
}

// The best value so far of type T, and blocks of what its parts are compared as.
template <bool Largest, typename T>
class Search {
 public:
  using Value = compute_t<T>;
  static constexpr int kParts = is_complex<T> ? 2 : 1;
  using Part = part_t<Value>;
  static constexpr int64_t kBlock = 8192 / static_cast<int64_t>(sizeof(Value));

  explicit Search(T best) : best_(widen(best)) {}
  bool has_nan() const { return is_nan(best_); }
  // The place of the best value of all; -1: it is not among these `count` <= kBlock values.
  int64_t place_in(const T* values, int64_t count) {
    if constexpr (is_half<T>) {
      float wide[kBlock];
      widen_block(values, wide, count);
      return best_place(wide, count);
    } else {
      return best_place(values, count);
    }
  }

 private:
  int64_t best_place(const Value* values, int64_t count) {
    const auto* parts = reinterpret_cast<const Part*>(values);
    const int64_t part_count = count * kParts;
    Part extreme;
#ifdef __AVX2__
    if constexpr (kParts == 1 && sizeof(Part) >= 4) {
      int64_t place;
      if (count >= kSideBySide<Part> && count < kBlock &&
          find_in_row<Largest>(values, count, extreme, place)) {
        if (Largest ? extreme <= best_ : best_ <= extreme) return -1;
        best_ = extreme;
        return place;
      }
    }
#endif
    if (!extreme_side_by_side<Largest, kParts>(parts, part_count, extreme)) {
      return one_by_one(values, count);
    }
    const Part best = *reinterpret_cast<const Part*>(&best_);
    if (Largest ? extreme < best : best < extreme) return -1;
    if constexpr (kParts == 1) {
      if (extreme == best) return -1;
      best_ = extreme;
      return first_equal<1>(parts, part_count, extreme);
    }
    return best_of_equal(values, parts, part_count, extreme);
  }

  // Of complex numbers with the extreme real part.
  int64_t best_of_equal(const Value* values, const Part* parts, int64_t part_count, Part extreme) {
    int64_t place = -1;
    for (int64_t i = 0; i < part_count; i += kParts) {
      i += first_equal<kParts>(parts + i, part_count - i, extreme);
      if (i < part_count && better<Largest>(values[i / kParts], best_)) {
        place = i / kParts;
        best_ = values[place];
      }
    }
    return place;
  }

  int64_t one_by_one(const Value* values, int64_t count) {
    int64_t place = -1;
    for (int64_t i = 0; i < count; ++i) {
      if (!better<Largest>(values[i], best_)) continue;
      place = i;
      best_ = values[i];
    }
    return place;
  }

  Value best_;
};

template <bool Largest>
void along_booleans(const bool* values, int64_t count, int64_t first_index,
                    cupola::cpu::Extremum& best) {
  auto* kept = reinterpret_cast<bool*>(best.value);
  const bool is_first = best.index < 0;
  if (!is_first && *kept == Largest) return;
  const int64_t place = first_place<Largest>(values, count);
  if (place < 0 && !is_first) return;
  *kept = place < 0 ? !Largest : Largest;
  best.index = first_index + (place < 0 ? 0 : place);
}

template <bool Largest, typename T>
[[gnu::always_inline]] inline void along_values(const T* v, int64_t count, int64_t first_index,
                                                cupola::cpu::Extremum& best) {
  auto* kept = reinterpret_cast<T*>(best.value);
  int64_t place = best.index < 0 ? 0 : -1;
  Search<Largest, T> search(place == 0 ? v[0] : *kept);
  constexpr int64_t kBlock = Search<Largest, T>::kBlock;
  for (int64_t i = 0; i < count && !search.has_nan(); i += kBlock) {
    // The last block begins among values that were looked at: none of them is better.
    const int64_t first = i > 0 && count - i < kBlock ? count - kBlock : i;
    const int64_t found = search.place_in(v + first, count - i < kBlock ? count - first : kBlock);
    if (found >= 0) place = first + found;
  }
  if (place < 0) return;
  *kept = v[place];
  best.index = first_index + place;
}

template <bool Largest, typename T>
void along_loop(const void* values, int64_t count, int64_t first_index,
                cupola::cpu::Extremum& best) {
  const auto* v = static_cast<const T*>(values);
  if constexpr (is_same<T, bool>) {
    along_booleans<Largest>(v, count, first_index, best);
  } else {
    along_values<Largest>(v, count, first_index, best);
  }
}

template <bool Largest, typename T>
void rows_loop(const void* rows, int64_t row_count, int64_t length, int64_t* indices) {
  const auto* row = static_cast<const T*>(rows);
  for (int64_t i = 0; i < row_count; ++i, row += length) {
    if constexpr (is_same<T, bool>) {
      const int64_t place = first_place<Largest>(row, length);
      indices[i] = place < 0 ? 0 : place;
    } else {
      cupola::cpu::Extremum best;
      along_values<Largest>(row, length, 0, best);
      indices[i] = best.index;
    }
  }
}

// Parts by themselves, so that these are vectors.
template <bool Largest, typename T>
void across_complex(const T* values, int64_t count, int64_t index, T* best, int64_t* best_indices) {
  using Part = part_t<T>;
  constexpr int64_t kStep = 64;
  Flag<Part> takes[kStep];
  for (int64_t first = 0; first < count; first += kStep) {
    const int64_t size = count - first < kStep ? count - first : kStep;
    const T* const v = values + first;
    T* const b = best + first;
    for (int64_t i = 0; i < size; ++i) {
      const bool take = better<Largest>(v[i], b[i]);
      takes[i] = take;
      b[i].re = take ? v[i].re : b[i].re;
      b[i].im = take ? v[i].im : b[i].im;
    }
    for (int64_t i = 0; i < size; ++i) {
      best_indices[first + i] = takes[i] != 0 ? index : best_indices[first + i];
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
  if constexpr (is_complex<T>) return across_complex<Largest>(v, count, index, best, best_indices);
  CUPOLA_CPU_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) {
    const T value = v[i];
    const T before = best[i];
    const bool take = better<Largest>(widen(value), widen(before));
    best[i] = take ? value : before;
    best_indices[i] = take ? index : best_indices[i];
  }
}

template <int D = 0>
void add_types(cupola::cpu::KernelTables& tables) {
  if constexpr (D < cupola::kDTypeCount) {
    using T = device_type_t<static_cast<cupola::DType>(D)>;
    tables.extrema[0][D] = {along_loop<false, T>, rows_loop<false, T>, across_loop<false, T>};
    tables.extrema[1][D] = {along_loop<true, T>, rows_loop<true, T>, across_loop<true, T>};
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
