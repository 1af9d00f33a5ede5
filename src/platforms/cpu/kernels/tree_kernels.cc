// Combination in the fixed tree of reduction.h for reorderable ufuncs: of one row of values, and
// of rows with each other. Running combination where the instruction set makes a difference.

#include "platforms/cpu/kernels/choices.h"
#include "platforms/cpu/kernels/extreme_places.h"
#include "platforms/cpu/kernels/half_scan.h"
#include "platforms/cpu/kernels/rows.h"

namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

constexpr int64_t kLanes = 64;

template <typename Row, typename T>
constexpr bool chooses_complex = choice_of(Row::kId) != Choice::none&& is_complex<T>;
// Their combination with more than one value is no vector, see join_columns().
template <typename Row, typename T>
constexpr bool passes_nan =
    Real<T> && !is_half<T> &&
    (choice_of(Row::kId) == Choice::maximum || choice_of(Row::kId) == Choice::minimum);

// combine() of the row, without branches.
template <typename Row, typename T>
[[gnu::always_inline]] inline T join(T a, T b) {
  if constexpr (chooses_complex<Row, T>) {
    return takes_first<choice_of(Row::kId)>(a, b) ? a : b;
  } else {
    return combine<Row>(a, b);
  }
}

// Whole numbers that combine to the same in any tree: those of 8 bytes in as many lanes as
// registers hold, where these are short.
template <typename Row, typename T>
constexpr int64_t tree_lanes() {
#ifndef __AVX512F__
  using cupola::UfuncId;
  if (!Integer<T> || sizeof(T) < 8) return kLanes;
  for (const UfuncId id : {UfuncId::add, UfuncId::multiply, UfuncId::maximum, UfuncId::minimum,
                           UfuncId::fmax, UfuncId::fmin}) {
    if (Row::kId == id) return kLanes / 4;
  }
#endif
  return kLanes;
}

// Lane l of the result combines values l, l + Lanes, ... of `rounds` rounds.
template <typename Row, int64_t Lanes, typename T>
[[gnu::always_inline]] inline void accumulate(const T* values, int64_t rounds, T* lanes) {
  T local[Lanes];  // stays in registers
  for (int i = 0; i < Lanes; ++i) local[i] = values[i];
  for (int64_t r = 1; r < rounds; ++r) {
    const T* row = values + r * Lanes;
    CUPOLA_CPU_INDEPENDENT
    for (int i = 0; i < Lanes; ++i) {
      local[i] = join<Row>(element(local, i), element(row, i));
    }
  }
  for (int i = 0; i < Lanes; ++i) lanes[i] = local[i];
}

// Lane l joins lane l + Half, and so on down to the first one.
template <typename Row, typename T, int Half>
[[gnu::always_inline]] inline void join_lanes(T* lanes) {
  for (int i = 0; i < Half; ++i) lanes[i] = join<Row>(lanes[i], lanes[i + Half]);
  if constexpr (Half > 1) join_lanes<Row, T, Half / 2>(lanes);
}

// Whether a combination of booleans is `value` as soon as one of them is.
template <typename Row>
[[gnu::always_inline]] inline bool ends_at(bool value) {
  using Expression = typename Row::Expression;
  return Expression::first(value, value) == value && Expression::first(value, !value) == value &&
         Expression::first(!value, value) == value && Expression::first(!value, !value) != value;
}

// Of a tree that ends at `value`. Looks at no more blocks than it must.
inline bool found(const bool* values, int64_t count, bool value) {
  constexpr int64_t kBlock = 512;
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t end = begin + kBlock < count ? begin + kBlock : count;
    uint8_t any = 0;
    for (int64_t i = begin; i < end; ++i) {
      any = static_cast<uint8_t>(any | static_cast<uint8_t>(element(values, i) == value));
    }
    if (any != 0) return true;
  }
  return false;
}

template <typename Row, typename T>
void tree_loop(const void* values, int64_t count, void* result) {
  const auto* v = static_cast<const T*>(values);
  if constexpr (is_same<T, bool>) {
    for (const bool value : {false, true}) {
      if (!ends_at<Row>(value)) continue;
      *static_cast<bool*>(result) = found(v, count, value) == value;
      return;
    }
  }
  constexpr int64_t kSideBySide = tree_lanes<Row, T>();
  if (count < kSideBySide) {
    T all = v[0];
    for (int64_t i = 1; i < count; ++i) all = combine<Row>(all, v[i]);
    *static_cast<T*>(result) = all;
    return;
  }
  T lanes[kSideBySide];
  const int64_t rounds = count / kSideBySide;
  accumulate<Row, kSideBySide>(v, rounds, lanes);
  for (int64_t i = rounds * kSideBySide; i < count; ++i) {
    lanes[i - rounds * kSideBySide] = combine<Row>(lanes[i - rounds * kSideBySide], v[i]);
  }
  join_lanes<Row, T, kSideBySide / 2>(lanes);
  *static_cast<T*>(result) = lanes[0];
}

// The value and `Rows` more, a row apart, in order.
template <typename Row, int Rows, typename T>
[[gnu::always_inline]] inline T join_column(T value, const T* row, int64_t row_stride) {
  const T joined = combine<Row>(value, *row);
  if constexpr (Rows == 1) {
    return joined;
  } else {
    return join_column<Row, Rows - 1>(joined, row + row_stride, row_stride);
  }
}

// How many columns of numbers are joined, a vector or more at a time.
#ifdef __AVX2__
// Instructions choose between numbers; where one of them is NaN, functions do. All rows are read
// from their begin to their end, as caches expect.
template <typename Row, int Rows, typename T>
[[gnu::always_inline]] inline int64_t join_vectors(T* out, const T* row, int64_t row_stride,
                                                   int64_t count) {
  constexpr bool kLargest = choice_of(Row::kId) == Choice::maximum;
  constexpr int64_t kWidth = kRowBytes / static_cast<int64_t>(sizeof(T));
  int64_t i = 0;
  for (; i + kWidth <= count; i += kWidth) {
    row_vector_t<T> best, next[Rows];
    __builtin_memcpy(&best, out + i, kRowBytes);
#pragma GCC unroll 4
    for (int r = 0; r < Rows; ++r) next[r] = load_row(row + r * row_stride + i);
    unsigned nans = unordered_lanes(best, next[Rows - 1]);
#pragma GCC unroll 4
    for (int r = 0; r + 1 < Rows; ++r) nans |= unordered_lanes(next[r], next[r + 1]);
    if (nans != 0) [[unlikely]] {
      for (int64_t k = i; k < i + kWidth; ++k) {
        out[k] = join_column<Row, Rows>(out[k], row + k, row_stride);
      }
      continue;
    }
#pragma GCC unroll 4
    for (int r = 0; r < Rows; ++r) {
      best = (kLargest ? best > next[r] : best < next[r]) ? best : next[r];
    }
    __builtin_memcpy(out + i, &best, kRowBytes);
  }
  return i;
}
#else
// Of 8 bytes, as many as registers hold.
template <typename T>
constexpr int64_t kColumns = sizeof(T) == 8 ? kLanes / 2 : kLanes;

// The same of kColumns columns, row by row: a compiler that saw what one NaN means for all that
// follows would make branches of it.
template <typename Row, int Rows, typename T>
[[gnu::always_inline]] inline void join_columns(T* out, const T* row, int64_t row_stride) {
  constexpr int64_t kHere = kColumns<T>;
  T local[kHere];
  for (int i = 0; i < kHere; ++i) local[i] = out[i];
  for (int r = 0; r < Rows; ++r) {
    CUPOLA_CPU_INDEPENDENT
    for (int i = 0; i < kHere; ++i) local[i] = combine<Row>(local[i], row[r * row_stride + i]);
  }
  for (int i = 0; i < kHere; ++i) out[i] = local[i];
}

template <typename Row, int Rows, typename T>
[[gnu::always_inline]] inline int64_t join_vectors(T* out, const T* row, int64_t row_stride,
                                                   int64_t count) {
  int64_t i = 0;
  for (; i + kColumns<T> <= count; i += kColumns<T>) {
    join_columns<Row, Rows>(out + i, row + i, row_stride);
  }
  return i;
}
#endif

template <typename Row, int Rows, typename T>
[[gnu::always_inline]] inline void add_rows(const T* row, int64_t row_stride, int64_t count,
                                            T* out) {
  if constexpr (chooses_complex<Row, T>) {  // parts by themselves, so that these are vectors
    static_assert(Rows == 1);
    for (int64_t i = 0; i < count; ++i) {
      const bool first = takes_first<choice_of(Row::kId)>(out[i], row[i]);
      out[i].re = first ? out[i].re : row[i].re;
      out[i].im = first ? out[i].im : row[i].im;
    }
    return;
  }
  if constexpr (passes_nan<Row, T>) {
    const int64_t begin = join_vectors<Row, Rows>(out, row, row_stride, count);
    for (int r = 0; r < Rows; ++r) {
      CUPOLA_CPU_INDEPENDENT
      for (int64_t i = begin; i < count; ++i) {
        out[i] = combine<Row>(out[i], row[r * row_stride + i]);
      }
    }
    return;
  }
  CUPOLA_CPU_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) {
    out[i] = join_column<Row, Rows>(out[i], row + i, row_stride);
  }
}

template <typename Row, typename T>
void rows_loop(const void* rows, int64_t row_stride, int64_t row_count, int64_t count,
               void* accumulators) {
  auto* out = static_cast<T*>(accumulators);
  const auto* row = static_cast<const T*>(rows);
  // Halves are rounded after each row: that takes the time, not the accumulators' way to memory.
  if constexpr (!chooses_complex<Row, T> && !is_half<T>) {
    for (; row_count >= 4; row_count -= 4, row += 4 * row_stride) {
      add_rows<Row, 4>(row, row_stride, count, out);
    }
    if (row_count == 3) return add_rows<Row, 3>(row, row_stride, count, out);
    if (row_count == 2) return add_rows<Row, 2>(row, row_stride, count, out);
  }
  for (; row_count > 0; --row_count, row += row_stride) {
    add_rows<Row, 1>(row, row_stride, count, out);
  }
}

template <typename Row, int Loop = 0>
void add_row(cupola::cpu::KernelTables& tables) {
  if constexpr (Row::kIsReorderable && Loop < Row::kLoopCount) {
    if constexpr (Row::combines(Loop)) {
      constexpr cupola::DType kType = Row::kLoops.loops[Loop].types[0];
      using T = device_type_t<kType>;
      auto& place = tables.reduce[static_cast<int>(Row::kId)][static_cast<int>(kType)];
      place.tree = tree_loop<Row, T>;
      place.rows = rows_loop<Row, T>;
#ifdef __F16C__
      constexpr bool kRounds =
          Row::kId == cupola::UfuncId::add || Row::kId == cupola::UfuncId::multiply;
      if constexpr (is_same<T, float16> && kRounds) place.scan = half_scan_loop<Row>;
#endif
    }
    add_row<Row, Loop + 1>(tables);
  }
}

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE

namespace cupola::cpu {

void CUPOLA_CPU_JOIN(add_tree_kernels_, CUPOLA_CPU_TARGET)(KernelTables& tables) {
  using namespace CUPOLA_DEVICE_NAMESPACE;
  for_each_row([&]<typename Row>(Row) { add_row<Row>(tables); });
}

}  // namespace cupola::cpu
