#pragma once
// What the tests of operations need: arrays from and to host vectors.

#include <gtest/gtest.h>

#include <vector>

#include "core/layout.h"
#include "cupola/error.h"
#include "cupola/ops/manip.h"
#include "cupola/transfer.h"

namespace cupola::test {

inline Device cpu() { return Device(PlatformKind::cpu, 0); }

template <typename T>
Array array_of(const std::vector<T>& values, const Dims& shape) {
  return reshape(from_vector(values, cpu()), shape);
}

// 0, 1, 2 ... of a shape.
template <typename T>
Array counting(const Dims& shape) {
  std::vector<T> values;
  for (std::int64_t i = 0; i < element_count(shape); ++i) values.push_back(static_cast<T>(i));
  return array_of(values, shape);
}

// vector<bool> has no memory to copy from.
inline Array mask_of(const std::vector<int>& values, const Dims& shape) {
  const auto memory = std::make_unique<bool[]>(values.size() + 1);
  for (std::size_t i = 0; i < values.size(); ++i) memory[i] = values[i] != 0;
  return from_host(memory.get(), DType::bool_, shape, c_strides(shape), cpu());
}

// All elements in row-major order, whatever the dtype; imaginary parts are dropped.
inline std::vector<double> values_of(const Array& array) {
  const auto count = static_cast<std::size_t>(array.size());
  const auto item = static_cast<std::size_t>(array.item_size());
  std::vector<unsigned char> bytes(count * item + 1);
  to_host(array, bytes.data(), byte_strides(c_strides(array.shape()), array.dtype()));
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back(
        Scalar::from_bytes(array.dtype(), bytes.data() + i * item).to_complex().real());
  }
  return values;
}

inline void expect_values(const Array& array, const Dims& shape,
                          const std::vector<double>& expected) {
  EXPECT_EQ(array.shape(), shape);
  EXPECT_EQ(values_of(array), expected);
}

}  // namespace cupola::test
