#pragma once
// Copies whose rows are the columns of what they read.

#include "platforms/cpu/kernels/target.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

#if defined(__AVX512F__)
constexpr int64_t kVectorBytes = 64;
#elif defined(__AVX2__)
constexpr int64_t kVectorBytes = 32;
#else
constexpr int64_t kVectorBytes = 16;
#endif

// Elements at the same places of the first or second halves of two rows, side by side.
template <typename Row, int kSide>
[[gnu::always_inline]] inline Row first_halves(Row a, Row b) {
  if constexpr (kSide == 16) {
    return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  } else if constexpr (kSide == 8) {
    return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
  } else if constexpr (kSide == 4) {
    return __builtin_shufflevector(a, b, 0, 4, 1, 5);
  } else {
    return __builtin_shufflevector(a, b, 0, 2);
  }
}
template <typename Row, int kSide>
[[gnu::always_inline]] inline Row second_halves(Row a, Row b) {
  if constexpr (kSide == 16) {
    return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15,
                                   31);
  } else if constexpr (kSide == 8) {
    return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
  } else if constexpr (kSide == 4) {
    return __builtin_shufflevector(a, b, 2, 6, 3, 7);
  } else {
    return __builtin_shufflevector(a, b, 1, 3);
  }
}

// A square whose rows are vectors of so many bytes. Each pass moves the first bit of the rows'
// numbers to the end of the elements' numbers, until every row is a column.
template <typename T, int kBytes>
[[gnu::always_inline]] inline void transpose_square(char* target, int64_t pitch, const char* source,
                                                    int64_t column) {
  constexpr int kSide = kBytes / sizeof(T);
  typedef T Row __attribute__((vector_size(kBytes)));
  Row rows[kSide];
#pragma GCC unroll 16
  for (int i = 0; i < kSide; ++i) __builtin_memcpy(&rows[i], source + i * column, sizeof(Row));
#pragma GCC unroll 4
  for (int pass = 1; pass < kSide; pass *= 2) {
    Row next[kSide];
#pragma GCC unroll 16
    for (int i = 0; i < kSide / 2; ++i) {
      next[2 * i] = first_halves<Row, kSide>(rows[i], rows[i + kSide / 2]);
      next[2 * i + 1] = second_halves<Row, kSide>(rows[i], rows[i + kSide / 2]);
    }
#pragma GCC unroll 16
    for (int i = 0; i < kSide; ++i) rows[i] = next[i];
  }
#pragma GCC unroll 16
  for (int i = 0; i < kSide; ++i) __builtin_memcpy(target + i * pitch, &rows[i], sizeof(Row));
}

template <typename T>
void transpose_elements(char* target, int64_t pitch, const char* source, int64_t column,
                        int64_t rows, int64_t columns) {
  for (int64_t c = 0; c < columns; ++c) {
    const T* from = reinterpret_cast<const T*>(source + c * column);
    char* to = target + c * static_cast<int64_t>(sizeof(T));
    for (int64_t r = 0; r < rows; ++r) *reinterpret_cast<T*>(to + r * pitch) = from[r];
  }
}

// By squares of vectors of so many bytes, and what is left beside them by smaller ones.
template <typename T, int kBytes>
[[gnu::always_inline]] inline void transpose_squares(char* target, int64_t pitch,
                                                     const char* source, int64_t column,
                                                     int64_t rows, int64_t columns) {
  constexpr int64_t kItem = sizeof(T), kSide = kBytes / kItem;
  if constexpr (kBytes < 16) {
    transpose_elements<T>(target, pitch, source, column, rows, columns);
  } else {
    const int64_t whole_rows = rows / kSide * kSide, whole_columns = columns / kSide * kSide;
    for (int64_t r = 0; r < whole_rows; r += kSide) {
      for (int64_t c = 0; c < whole_columns; c += kSide) {
        transpose_square<T, kBytes>(target + r * pitch + c * kItem, pitch,
                                    source + c * column + r * kItem, column);
      }
    }
    constexpr int kSmaller = kBytes > 16 ? 16 : 0;
    transpose_squares<T, kSmaller>(target + whole_columns * kItem, pitch,
                                   source + whole_columns * column, column, whole_rows,
                                   columns - whole_columns);
    transpose_squares<T, kSmaller>(target + whole_rows * pitch, pitch, source + whole_rows * kItem,
                                   column, rows - whole_rows, columns);
  }
}

#ifdef __AVX2__
// Of 8 bytes: by squares of four, whose columns are read by halves. A few rows are written from
// their beginnings to their ends, as processors foresee it.
void transpose_words(void* target, int64_t pitch, const void* source, int64_t column, int64_t rows,
                     int64_t columns) {
  constexpr int64_t kItem = 8, kSide = 4;
  const int64_t whole_columns = columns / kSide * kSide;
  auto* to = static_cast<char*>(target);
  const auto* from = static_cast<const char*>(source);
  for (; rows >= kSide; rows -= kSide, to += kSide * pitch, from += kSide * kItem) {
    for (int64_t c = 0; c < whole_columns; c += kSide) {
      for (int64_t r = 0; r < kSide; r += 2) {
        const auto halves = [=](int64_t first) {
          const char* const at = from + first * column + r * kItem;
          return _mm256_insertf128_pd(
              _mm256_castpd128_pd256(_mm_loadu_pd(reinterpret_cast<const double*>(at))),
              _mm_loadu_pd(reinterpret_cast<const double*>(at + 2 * column)), 1);
        };
        const __m256d even = halves(c), odd = halves(c + 1);
        char* const row = to + r * pitch + c * kItem;
        _mm256_storeu_pd(reinterpret_cast<double*>(row), _mm256_unpacklo_pd(even, odd));
        _mm256_storeu_pd(reinterpret_cast<double*>(row + pitch), _mm256_unpackhi_pd(even, odd));
      }
    }
    transpose_elements<::uint64_t>(to + whole_columns * kItem, pitch, from + whole_columns * column,
                                   column, kSide, columns - whole_columns);
  }
  transpose_elements<::uint64_t>(to, pitch, from, column, rows, columns);
}
#endif

// Blocks of whole cache lines, which stay in the first cache meanwhile.
template <typename T>
void transpose(void* target, int64_t pitch, const void* source, int64_t column, int64_t rows,
               int64_t columns) {
  constexpr int64_t kItem = sizeof(T), kBlock = kItem < 4 ? 64 / kItem : 16;
  constexpr int kBytes = kItem < 4 ? 16 : kVectorBytes >= 32 ? 32 : 16;
  for (int64_t first = 0; first < columns; first += kBlock) {
    const int64_t end = first + kBlock < columns ? first + kBlock : columns;
    for (int64_t top = 0; top < rows; top += kBlock) {
      const int64_t bottom = top + kBlock < rows ? top + kBlock : rows;
      char* const to = static_cast<char*>(target) + top * pitch + first * kItem;
      const char* const from = static_cast<const char*>(source) + first * column + top * kItem;
      if constexpr (kItem == 16) {
        for (int64_t r = 0; r < bottom - top; ++r) {
          auto* const row = reinterpret_cast<T*>(to + r * pitch);
          const char* const element = from + r * kItem;
          for (int64_t c = 0; c < end - first; ++c) {
            row[c] = *reinterpret_cast<const T*>(element + c * column);
          }
        }
      } else {
        transpose_squares<T, kBytes>(to, pitch, from, column, bottom - top, end - first);
      }
    }
  }
}

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE
