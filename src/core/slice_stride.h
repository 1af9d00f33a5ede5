#pragma once
// Strides of what slices leave.

#include <cstdint>

namespace cupola {

// Of so many elements: as in NumPy the step counts for one element too, unless no memory is so
// large.
inline std::int64_t stride_of_slice(std::int64_t count, std::int64_t stride, std::int64_t step) {
  constexpr std::int64_t kMax = std::int64_t{1} << 56;
  std::int64_t product = 0;
  if (count == 0 || __builtin_mul_overflow(stride, step, &product)) return stride;
  return product < -kMax || product > kMax ? stride : product;
}

}  // namespace cupola
