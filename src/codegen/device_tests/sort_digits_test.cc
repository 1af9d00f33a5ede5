// The order of sorting that digits make.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "codegen/device_tests/special_values.h"
#include "codegen/plan.h"
#include "codegen/ufunc_expressions.h"

namespace cupola_device {
namespace {

using cupola::DType;

// From the digit that decides first.
template <typename T>
std::vector<int> digits_of(T value) {
  std::vector<int> digits;
  for (int number = sort_digits<T>; number-- > 0;) {
    digits.push_back(sort_digit(value, static_cast<uint8_t>(number)));
  }
  return digits;
}

template <typename T>
void expect_in_order(const std::vector<T>& values) {
  for (std::size_t i = 1; i < values.size(); ++i) {
    EXPECT_LT(digits_of(values[i - 1]), digits_of(values[i])) << i;
  }
}

TEST(SortDigits, OrderNumbers) {
  expect_in_order<bool>({false, true});
  expect_in_order<int8_t>({-128, -127, -1, 0, 1, 127});
  expect_in_order<uint16_t>({0, 1, 255, 256, 65535});
  expect_in_order<int64_t>({std::numeric_limits<int64_t>::min(), -256, -1, 0, 1, 256,
                            std::numeric_limits<int64_t>::max()});
  expect_in_order<double>({-kInf, -1e300, -1, -1e-310, 0, 1e-310, 1, 1e300, kInf,
                           std::numeric_limits<double>::quiet_NaN()});
  EXPECT_EQ(digits_of(0.0F), digits_of(-0.0F));
  EXPECT_EQ(digits_of(quiet_nan<float>()), digits_of(-quiet_nan<float>()));
  EXPECT_EQ(digits_of(quiet_nan<float>()), std::vector<int>(4, 255));
}

template <typename Half>
void expect_halves_in_order() {
  for (std::uint32_t a = 0; a < 65536; a += 7) {
    for (const std::uint32_t b : {a ^ 0x8000U, (a + 1) & 0xFFFFU, (a * 40503U) & 0xFFFFU}) {
      const Half x{static_cast<uint16_t>(a)}, y{static_cast<uint16_t>(b)};
      const float left = widen(x), right = widen(y);
      const bool before = left < right || (std::isnan(right) && !std::isnan(left));
      EXPECT_EQ(digits_of(x) < digits_of(y), before) << left << " " << right;
    }
  }
}

TEST(SortDigits, OrderHalves) {
  expect_halves_in_order<float16>();
  expect_halves_in_order<bfloat16>();
}

// Real parts decide, then imaginary ones; what has no NaN comes first, then those with one
// imaginary NaN, by the real part, then those with a real one, by the imaginary part.
TEST(SortDigits, OrderComplexNumbers) {
  const float nan = quiet_nan<float>();
  expect_in_order<complex64>(
      {{-1, 5}, {0, -1}, {0, 2}, {1, -3}, {-7, nan}, {2, nan}, {nan, -2}, {nan, 3}, {nan, nan}});
  EXPECT_EQ(digits_of(complex64{0, -0.0F}), digits_of(complex64{-0.0F, 0}));
}

template <DType D>
void expect_count() {
  EXPECT_EQ(cupola::sort_digits(D), sort_digits<device_type_t<D>>);
}

TEST(SortDigits, AreCountedAlike) {
  expect_count<DType::bool_>();
  expect_count<DType::int32>();
  expect_count<DType::float16>();
  expect_count<DType::float64>();
  expect_count<DType::complex64>();
  expect_count<DType::complex128>();
}

}  // namespace
}  // namespace cupola_device
