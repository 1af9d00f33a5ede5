// Whether all or any of the values are true, of every type but bool; extreme real numbers; sums of
// values and products, of differences and their squares.

#include "platforms/cpu/interpreter/direct_loops.h"
#include "platforms/cpu/kernels/extreme_places.h"
#include "platforms/cpu/kernels/rows.h"

namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

constexpr int64_t kBlockBytes = 4096;

template <int Size>
using Unsigned = select_t<Size == 1, uint8_t,
                          select_t<Size == 2, uint16_t, select_t<Size == 4, uint32_t, uint64_t>>>;

// Bits that are zero where the value is false: all but the sign of floating-point numbers.
template <typename T>
[[gnu::always_inline]] inline auto truth_bits(const T& value) {
  if constexpr (is_same<T, complex<float>>) {
    uint64_t parts;  // side by side, as they lie in memory
    __builtin_memcpy(&parts, &value, sizeof(parts));
    return parts & 0x7FFFFFFF7FFFFFFFu;
  } else if constexpr (is_complex<T>) {
    return truth_bits(value.re) | truth_bits(value.im);
  } else if constexpr (is_half<T>) {
    return static_cast<uint16_t>(value.bits & 0x7FFFu);
  } else if constexpr (Real<T>) {
    return bit_cast<Unsigned<sizeof(T)>>(value) << 1;
  } else {
    return static_cast<Unsigned<sizeof(T)>>(value);
  }
}

template <typename T>
using Bits = decltype(truth_bits(T{}));

// Whether false values are looked for, where integers have no minimum of vectors.
template <bool Any, typename B>
#ifdef __AVX512F__
constexpr bool kFindsFalse = false;
#else
constexpr bool kFindsFalse = !Any && sizeof(B) == 8;
#endif

// What is joined of a value, and two of them: not zero if any value is true, or all are, or one is
// not.
template <bool Any, typename T>
[[gnu::always_inline]] inline Bits<T> truth_of(const T& value) {
  const auto bits = truth_bits(value);
  if constexpr (kFindsFalse<Any, Bits<T>>) {
    return bits == 0 ? ~Bits<T>(0) : Bits<T>(0);
  } else {
    return bits;
  }
}
template <bool Any, typename B>
[[gnu::always_inline]] inline B join(B a, B b) {
  if constexpr (Any || kFindsFalse<Any, B>) {
    return static_cast<B>(a | b);
  } else {
    return a < b ? a : b;
  }
}
template <bool Any, typename B>
[[gnu::always_inline]] inline bool truth_from(B joined) {
  return (joined != 0) != kFindsFalse<Any, B>;
}

template <bool Any, typename T>
void tree_loop(const void* values, int64_t count, void* result) {
  const auto* v = static_cast<const T*>(values);
  constexpr int64_t kBlock = kBlockBytes / static_cast<int64_t>(sizeof(T));
  bool is_true = !Any;
  for (int64_t begin = 0; begin < count && is_true == !Any; begin += kBlock) {
    const int64_t end = begin + kBlock < count ? begin + kBlock : count;
    auto joined = truth_of<Any>(v[begin]);
    for (int64_t i = begin + 1; i < end; ++i) joined = join<Any>(joined, truth_of<Any>(v[i]));
    is_true = truth_from<Any>(joined);
  }
  *static_cast<bool*>(result) = is_true;
}

template <bool Any, typename T>
void rows_loop(const void* rows, int64_t row_stride, int64_t row_count, int64_t count,
               void* accumulators) {
  constexpr int64_t kColumns = kBlockBytes / static_cast<int64_t>(sizeof(Bits<T>));
  Bits<T> joined[kColumns];
  for (int64_t first = 0; first < count; first += kColumns) {
    const int64_t columns = count - first < kColumns ? count - first : kColumns;
    const auto* row = static_cast<const T*>(rows) + first;
    for (int64_t i = 0; i < columns; ++i) joined[i] = truth_of<Any>(row[i]);
    int64_t left = row_count - 1;
    row += row_stride;
    for (; left >= 4; left -= 4, row += 4 * row_stride) {
      const T* row1 = row + row_stride;
      const T* row2 = row1 + row_stride;
      const T* row3 = row2 + row_stride;
      CUPOLA_CPU_INDEPENDENT
      for (int64_t i = 0; i < columns; ++i) {
        const Bits<T> two = join<Any>(truth_of<Any>(row[i]), truth_of<Any>(row1[i]));
        const Bits<T> others = join<Any>(truth_of<Any>(row2[i]), truth_of<Any>(row3[i]));
        joined[i] = join<Any>(joined[i], join<Any>(two, others));
      }
    }
    for (; left > 0; --left, row += row_stride) {
      CUPOLA_CPU_INDEPENDENT
      for (int64_t i = 0; i < columns; ++i) joined[i] = join<Any>(joined[i], truth_of<Any>(row[i]));
    }
    auto* out = static_cast<uint8_t*>(accumulators) + first;
    for (int64_t i = 0; i < columns; ++i) {
      const auto is_true = static_cast<uint8_t>(truth_from<Any>(joined[i]));
      out[i] = static_cast<uint8_t>(Any ? out[i] | is_true : out[i] & is_true);
    }
  }
}

#ifdef __AVX2__
template <typename T>
bool both_extremes_loop(const void* values, int64_t count, void* smallest, void* largest) {
  if (count < kRowVectors * kRowBytes / static_cast<int64_t>(sizeof(T))) return false;
  auto* const low = static_cast<T*>(smallest);
  auto* const high = static_cast<T*>(largest);
  if (!extremes_of_row<true, true>(static_cast<const T*>(values), count, low, high)) return false;
  return Integer<T> || (*low != 0 && *high != 0);
}
#endif

template <bool Largest, typename T>
bool extreme_loop(const void* values, int64_t count, void* result) {
  T extreme;
  if (!extreme_side_by_side<Largest, 1>(static_cast<const T*>(values), count, extreme))
    return false;
  *static_cast<T*>(result) = extreme;
  return extreme != 0;
}

template <typename T>
void added_product_loop(const void* const* inputs, void* output, int64_t count) {
  using Sum = UfuncExpression<cupola::UfuncId::add>;
  using Product = UfuncExpression<cupola::UfuncId::multiply>;
  const auto* a = static_cast<const T*>(inputs[0]);
  const auto* b = static_cast<const T*>(inputs[1]);
  const T factor = *static_cast<const T*>(inputs[2]);
  auto* out = static_cast<T*>(output);
  CUPOLA_CPU_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) out[i] = Sum::first(a[i], Product::first(b[i], factor));
}

// Of Columns columns, which stay in registers.
template <int64_t Columns>
[[gnu::always_inline]] inline void add_deviations(const float* row, int64_t row_stride,
                                                  int64_t row_count, const double* shifts,
                                                  double* sums, double* squares) {
  double sum[Columns], square[Columns];
  for (int64_t i = 0; i < Columns; ++i) {
    sum[i] = static_cast<double>(row[i]) - shifts[i];
    square[i] = sum[i] * sum[i];
  }
  for (int64_t r = 1; r < row_count; ++r) {
    row += row_stride;
    CUPOLA_CPU_INDEPENDENT
    for (int64_t i = 0; i < Columns; ++i) {
      const double difference = static_cast<double>(row[i]) - shifts[i];
      sum[i] += difference;
      square[i] += difference * difference;
    }
  }
  for (int64_t i = 0; i < Columns; ++i) {
    sums[i] = sum[i];
    squares[i] = square[i];
  }
}

void deviations_loop(const float* rows, int64_t row_stride, int64_t row_count, const double* shifts,
                     int64_t count, double* sums, double* squares) {
  constexpr int64_t kColumns = 32;  // compilers make vectors of a loop, not of its turns
  int64_t i = 0;
  for (; i + kColumns <= count; i += kColumns) {
    add_deviations<kColumns>(rows + i, row_stride, row_count, shifts + i, sums + i, squares + i);
  }
  for (; i < count; ++i) {
    add_deviations<1>(rows + i, row_stride, row_count, shifts + i, sums + i, squares + i);
  }
}

template <int D = 0>
void add_types(cupola::cpu::DirectTables& tables) {
  if constexpr (D < cupola::kDTypeCount) {
    using T = device_type_t<static_cast<cupola::DType>(D)>;
    if constexpr (!is_same<T, bool>) {
      tables.all[D].tree = tree_loop<false, T>;
      tables.all[D].rows = rows_loop<false, T>;
      tables.any[D].tree = tree_loop<true, T>;
      tables.any[D].rows = rows_loop<true, T>;
    }
    if constexpr (Real<T> && !is_half<T>) {
      tables.extrema[0][D] = extreme_loop<false, T>;
      tables.extrema[1][D] = extreme_loop<true, T>;
    }
#ifdef __AVX2__
    if constexpr ((Real<T> && !is_half<T>) || (Integer<T> && !is_same<T, bool>)) {
      tables.both_extremes[D] = both_extremes_loop<T>;
    }
#endif
    if constexpr ((Real<T> || Integer<T>)&&sizeof(T) >= 4) {
      tables.added_products[D] = added_product_loop<T>;
    }
    add_types<D + 1>(tables);
  }
}

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE

namespace cupola::cpu {

void CUPOLA_CPU_JOIN(add_direct_kernels_, CUPOLA_CPU_TARGET)(DirectTables& tables) {
  CUPOLA_DEVICE_NAMESPACE::add_types(tables);
  tables.deviations = CUPOLA_DEVICE_NAMESPACE::deviations_loop;
}

}  // namespace cupola::cpu
