#pragma once
// Products of two matrices by BLAS, on our threads or on the library's.

#include <algorithm>
#include <cstdint>
#include <functional>

#include "cupola/dtype.h"

namespace cupola::cpu {

// One matrix: unit stride along rows or along columns. Strides count elements.
struct Matrix {
  const char* data;
  std::int64_t row;
  std::int64_t column;
  bool transposed() const { return column != 1; }
  // From one row (or column, where it is transposed) to the next.
  std::int64_t leading(std::int64_t rows, std::int64_t columns) const {
    return transposed() ? std::max({column, rows, std::int64_t{1}})
                        : std::max({row, columns, std::int64_t{1}});
  }
};

// c = a b, of float32, float64, complex64 or complex128; c's columns have stride 1.
struct Product {
  DType dtype;
  std::int64_t m, n, k;
  Matrix a, b;
  char* c;
  std::int64_t c_row;

  double multiplications() const {
    return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }
};

// Multiplications of float32 that take as long as one of the type.
inline double cost_of_multiplication(DType dtype) {
  return static_cast<double>(std::max<std::size_t>(item_size(dtype), 4)) / 4 *
         (is_complex(dtype) ? 2 : 1);
}

// So many multiplications our threads share, beyond is the library's.
inline constexpr double kMostOfOurThreads = 0x1p33;

// Multiplications of float32 that are worth a task of their own: less is one thread's.
inline constexpr double kCostOfTask = 0x1p23;

// Rows of c that are worth a task of their own.
std::int64_t rows_of_task(const Product& product);

// Parts of the sum over k that are worth a task each, where c is too small to be divided; 1: none.
std::int64_t parts_of_sum(const Product& product);
// Calls multiply(part) for each, at the same time, and adds what they make in order.
void multiply_in_parts(const Product& product, std::int64_t parts,
                       const std::function<void(const Product&)>& multiply);

// On this thread and the pool; beyond kMostOfOurThreads not within a parallel_for().
void multiply(const Product& product);
// The same of a b that is a's transpose: c is exactly symmetric. m and n are equal.
void multiply_by_transpose(const Product& product);

}  // namespace cupola::cpu
