#include "platforms/cpu/interpreter/direct_loops.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "cupola/scalar.h"

namespace cupola::cpu {
namespace {

constexpr std::int64_t kRows = 7;
constexpr std::int64_t kColumns = 1500;  // more than the loops take at once of 8-byte elements

// Elements that are false but for those of every `period`-th number.
std::vector<unsigned char> elements(DType dtype, std::int64_t count, std::int64_t period,
                                    const Scalar& some, const Scalar& others) {
  const std::size_t size = item_size(dtype);
  std::vector<unsigned char> bytes(static_cast<std::size_t>(count) * size);
  for (std::int64_t i = 0; i < count; ++i) {
    const Scalar value = (i % period == period - 1 ? some : others).cast(dtype);
    std::memcpy(bytes.data() + static_cast<std::size_t>(i) * size, value.data(), size);
  }
  return bytes;
}

std::unique_ptr<bool[]> as_booleans(DType dtype, const std::vector<unsigned char>& values,
                                    std::int64_t count) {
  std::unique_ptr<bool[]> result(new bool[static_cast<std::size_t>(count)]);
  const void* inputs[] = {values.data()};
  find_cast(dtype, DType::bool_)(inputs, result.get(), count);
  return result;
}

void expect_truth_of_casts(UfuncId id, DType dtype, const std::vector<unsigned char>& values) {
  const ReduceLoops& truth = find_truth(id, dtype);
  const ReduceLoops& booleans = find_reduce(id, DType::bool_);
  const std::unique_ptr<bool[]> cast = as_booleans(dtype, values, kRows * kColumns);
  for (const std::int64_t count : {1, 5, 64, 1000, 5000, 10500}) {
    bool found = false, expected = false;
    truth.tree(values.data(), count, &found);
    booleans.tree(cast.get(), count, &expected);
    EXPECT_EQ(found, expected) << name_of(dtype) << " " << count;
  }
  const bool start = id == UfuncId::logical_and;
  bool found[kColumns], expected[kColumns];
  std::fill_n(found, kColumns, start);
  std::fill_n(expected, kColumns, start);
  truth.rows(values.data(), kColumns, kRows, kColumns - 3, found);
  booleans.rows(cast.get(), kColumns, kRows, kColumns - 3, expected);
  EXPECT_TRUE(std::equal(found, found + kColumns, expected)) << name_of(dtype);
}

TEST(DirectLoops, TruthIsThatOfCasts) {
  const Scalar zero(std::int64_t{0}), one(std::int64_t{1});
  const Scalar small(std::complex<double>(0, 1));
  for (const UfuncId id : {UfuncId::logical_and, UfuncId::logical_or}) {
    for (int d = 1; d < kDTypeCount; ++d) {
      const auto dtype = static_cast<DType>(d);
      for (const std::int64_t period : {1, 3, 777, 1501, 6000, 100000}) {
        expect_truth_of_casts(id, dtype, elements(dtype, kRows * kColumns, period, one, zero));
        expect_truth_of_casts(id, dtype, elements(dtype, kRows * kColumns, period, zero, one));
        if (!is_inexact(dtype)) continue;
        const Scalar nan(std::numeric_limits<double>::quiet_NaN()), negative_zero(-0.0);
        const Scalar& odd = is_complex(dtype) ? small : nan;
        expect_truth_of_casts(id, dtype,
                              elements(dtype, kRows * kColumns, period, negative_zero, odd));
        expect_truth_of_casts(id, dtype,
                              elements(dtype, kRows * kColumns, period, nan, negative_zero));
      }
    }
  }
}

TEST(DirectLoops, ThereAreNoneOfOtherReductions) {
  EXPECT_EQ(find_truth(UfuncId::logical_and, DType::bool_).tree, nullptr);
  EXPECT_EQ(find_truth(UfuncId::logical_xor, DType::int32).tree, nullptr);
  EXPECT_EQ(find_any_order(UfuncId::add, DType::float64), nullptr);
  EXPECT_EQ(find_any_order(UfuncId::maximum, DType::int32), nullptr);
}

TEST(DirectLoops, DeviationsAreThoseOfSingleOperations) {
  constexpr std::int64_t kApart = 2 * kColumns + 1;  // rows that are two apart, and a gap
  std::vector<float> rows(kRows * kApart);
  std::vector<double> shifts(kColumns);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] = static_cast<float>(i * 2654435761u % 101) / 3;
  }
  for (std::size_t c = 0; c < shifts.size(); ++c) shifts[c] = static_cast<double>(c) / 7;
  for (const std::int64_t columns : {kColumns - 3, std::int64_t{32}, std::int64_t{5}}) {
    std::vector<double> sums(kColumns, -1), squares(kColumns, -1);
    find_deviations()(rows.data(), kApart, kRows, shifts.data(), columns, sums.data(),
                      squares.data());
    for (std::size_t c = 0; c < static_cast<std::size_t>(columns); ++c) {
      double sum = 0, square = 0;
      for (std::size_t r = 0; r < kRows; ++r) {
        const double difference = static_cast<double>(rows[r * kApart + c]) - shifts[c];
        const double product = difference * difference;
        sum += difference;
        square += product;
      }
      ASSERT_EQ(sums[c], sum) << c << " of " << columns;
      ASSERT_EQ(squares[c], square) << c << " of " << columns;
    }
    EXPECT_EQ(sums[static_cast<std::size_t>(columns)], -1) << "past the last column";
  }
}

template <typename T>
void expect_extremes_of_trees(DType dtype) {
  for (const UfuncId id : {UfuncId::maximum, UfuncId::minimum, UfuncId::fmax, UfuncId::fmin}) {
    const AnyOrderFunction any_order = find_any_order(id, dtype);
    ASSERT_NE(any_order, nullptr);
    std::vector<T> values(1000);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<T>(std::sin(static_cast<double>(i * i + 1)));
    }
    for (const std::int64_t count : {100, 128, 129, 1000}) {
      T found = 0, expected = 0;
      ASSERT_TRUE(any_order(values.data(), count, &found));
      find_reduce(id, dtype).tree(values.data(), count, &expected);
      EXPECT_EQ(found, expected) << count;
      for (std::int64_t i = 0; i < count; ++i) {
        const T value =
            std::exchange(values[static_cast<std::size_t>(i)], std::numeric_limits<T>::quiet_NaN());
        EXPECT_FALSE(any_order(values.data(), count, &found)) << i << " of " << count;
        values[static_cast<std::size_t>(i)] = value;
      }
    }
    const std::vector<T> zeros(200, T(-0.0));
    T found = 0;
    EXPECT_FALSE(any_order(zeros.data(), 200, &found)) << "zeros may have signs";
  }
}

TEST(DirectLoops, ExtremesAreThoseOfTheTree) {
  expect_extremes_of_trees<float>(DType::float32);
  expect_extremes_of_trees<double>(DType::float64);
}

template <typename T>
void expect_both_extremes(DType dtype) {
  const BothExtremesFunction both = find_both_extremes(dtype);
  if (both == nullptr) GTEST_SKIP() << "not with these instructions";
  std::vector<T> values(1000);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<T>(i * 2654435761u % 999983 + 1);
    if (values[i] == 0) values[i] = 1;
  }
  if (std::is_signed_v<T>) values[700] = static_cast<T>(-3);
  for (const std::int64_t count : {256, 257, 319, 1000}) {
    T low = 0, high = 0, least = 0, largest = 0;
    ASSERT_TRUE(both(values.data(), count, &low, &high)) << count;
    find_reduce(UfuncId::minimum, dtype).tree(values.data(), count, &least);
    find_reduce(UfuncId::maximum, dtype).tree(values.data(), count, &largest);
    EXPECT_EQ(low, least) << name_of(dtype) << count;
    EXPECT_EQ(high, largest) << name_of(dtype) << count;
    if constexpr (std::is_floating_point_v<T>) {
      for (const T odd : {std::numeric_limits<T>::quiet_NaN(), T(-0.0)}) {
        std::vector<T> others(values.size(), odd == odd ? T(-1) : T(1));
        others[static_cast<std::size_t>(count - 1)] = odd;
        EXPECT_FALSE(both(others.data(), count, &low, &high)) << odd << " of " << count;
      }
    }
  }
  T low = 0, high = 0;
  EXPECT_FALSE(both(values.data(), 3, &low, &high)) << "less than vectors hold";
}

TEST(DirectLoops, BothExtremesAreThoseOfTheTrees) {
  expect_both_extremes<float>(DType::float32);
  expect_both_extremes<double>(DType::float64);
  expect_both_extremes<std::int8_t>(DType::int8);
  expect_both_extremes<std::uint8_t>(DType::uint8);
  expect_both_extremes<std::int16_t>(DType::int16);
  expect_both_extremes<std::uint16_t>(DType::uint16);
  expect_both_extremes<std::int32_t>(DType::int32);
  expect_both_extremes<std::uint32_t>(DType::uint32);
  expect_both_extremes<std::int64_t>(DType::int64);
  expect_both_extremes<std::uint64_t>(DType::uint64);
}

}  // namespace
}  // namespace cupola::cpu
