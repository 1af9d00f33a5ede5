#include "cupola/ops/sort.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <type_traits>

#include "base/testing/message_of.h"
#include "cupola/ops/functions.h"
#include "cupola/ops/reduce.h"
#include "ops/test_support.h"

namespace cupola {
namespace {

using test::array_of;
using test::counting;
using test::expect_values;
using testing::message_of;

TEST(Sort, AlongAnAxis) {
  const Array a = array_of<float>({3, 1, 2, 0, 5, 4}, {2, 3});
  expect_values(sort(a), {2, 3}, {1, 2, 3, 0, 4, 5});
  expect_values(sort(a, 0), {2, 3}, {0, 1, 2, 3, 5, 4});
  expect_values(sort(a, std::nullopt), {6}, {0, 1, 2, 3, 4, 5});
  expect_values(argsort(a), {2, 3}, {1, 2, 0, 0, 2, 1});
  expect_values(argsort(a, 0), {2, 3}, {1, 0, 0, 0, 1, 1});
  expect_values(a, {2, 3}, {3, 1, 2, 0, 5, 4});
}

// Longer than what is sorted at once.
TEST(Sort, LongRowsKeepTheOrderOfEqualElements) {
  constexpr std::int64_t kCount = 20'000;
  const Array a = counting<std::int32_t>({2, kCount}) * 7919 % 100;
  const Array places = argsort(a);
  const std::vector<double> values = test::values_of(a), found = test::values_of(places);
  for (std::size_t i = 1; i < static_cast<std::size_t>(kCount); ++i) {
    const double before = values[static_cast<std::size_t>(found[i - 1])];
    const double after = values[static_cast<std::size_t>(found[i])];
    ASSERT_TRUE(before < after || (before == after && found[i - 1] < found[i])) << i;
  }
}

// Of short rows and of such as several threads sort; both zeros are equal, and so is every NaN.
TEST(Sort, ValuesThatAreEqualStayInOrder) {
  for (const std::int64_t length : {100, 40'000}) {
    std::vector<double> values;
    for (std::int64_t i = 0; i < length; ++i) {
      const double sign = i * 7919 % 11 < 5 ? -1 : 1;
      values.push_back(i % 3 == 0 ? sign * 0.0 : i % 3 == 1 ? std::copysign(NAN, sign) : sign);
    }
    std::vector<double> expected = values;
    std::stable_sort(expected.begin(), expected.end(),
                     [](double a, double b) { return a < b || (std::isnan(b) && !std::isnan(a)); });
    const std::vector<double> found = test::values_of(sort(array_of(values, {length})));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(std::signbit(found[i]), std::signbit(expected[i])) << length << " " << i;
    }
  }
}

template <typename T>
std::vector<T> numbers(std::size_t count) {
  std::mt19937_64 random(count);
  std::vector<T> values(count);
  for (T& value : values) {
    const auto bits = static_cast<std::int64_t>(random());
    value = std::is_integral_v<T> ? static_cast<T>(bits) : static_cast<T>(bits) / T(3);
  }
  return values;
}

template <typename T>
void expect_sorted(std::int64_t length) {
  const std::vector<T> values = numbers<T>(static_cast<std::size_t>(2 * length));
  std::vector<double> expected(values.begin(), values.end());
  std::sort(expected.begin(), expected.begin() + length);
  std::sort(expected.begin() + length, expected.end());
  expect_values(sort(array_of(values, {2, length})), {2, length}, expected);
}

// Values of all sizes, so that every digit of the keys counts.
TEST(Sort, RowsOfEveryLengthAndKeysOfEveryWidth) {
  for (const std::int64_t length : {1, 2, 63, 64, 65, 300, 5000}) {
    expect_sorted<std::int8_t>(length);
    expect_sorted<std::uint16_t>(length);
    expect_sorted<std::int32_t>(length);
    expect_sorted<float>(length);
    expect_sorted<double>(length);
  }
}

TEST(Sort, InPlaceThroughAView) {
  const Array a = counting<std::int64_t>({6});
  sort_in_place(flip(a));
  expect_values(a, {6}, {5, 4, 3, 2, 1, 0});
  EXPECT_EQ(message_of<ValueError>([&] {
              sort_in_place(broadcast_to(a, {2, 6}));
            }),
            "sort array is read-only");
}

TEST(Sort, RefusesWhatHasNoSuchAxis) {
  EXPECT_THROW(sort(counting<float>({})), AxisError);
  EXPECT_THROW(argsort(counting<float>({2}), 1), AxisError);
  expect_values(argsort(counting<float>({})), {1}, {0});
}

TEST(Sort, BySeveralKeys) {
  const Array minor = array_of<float>({2, 1, 2, 1}, {4});
  const Array major = array_of<std::int8_t>({1, 1, 0, 0}, {4});
  const Array keys[] = {minor, major};
  expect_values(lexsort(keys), {4}, {3, 2, 1, 0});
}

TEST(Sort, Searches) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Array a = array_of<double>({-1, 0, 0, 2, nan}, {5});
  const Array v = array_of<double>({-5, -1, 0, 1, 2, 3, nan}, {7});
  expect_values(searchsorted(a, v), {7}, {0, 0, 1, 3, 3, 4, 4});
  expect_values(searchsorted(a, v, SearchSide::right), {7}, {0, 1, 3, 3, 4, 4, 5});
  EXPECT_THROW(searchsorted(counting<float>({2, 2}), v), ValueError);
}

}  // namespace
}  // namespace cupola
