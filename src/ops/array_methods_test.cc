#include <ranges>

#include "base/testing/message_of.h"
#include "cupola/ops/creation.h"
#include "cupola/ops/functions.h"
#include "cupola/ops/index.h"
#include "cupola/ops/linalg.h"
#include "cupola/ops/reduce.h"
#include "ops/test_support.h"

namespace cupola {
namespace {

using test::array_of;
using test::counting;
using test::cpu;
using test::expect_values;
using test::mask_of;
using testing::message_of;

// What does not compile, where mistakes would do nothing or another thing than is written.
template <typename A>
concept TakesCorrectionAsKeepdims = requires(const A& a) {
  a.var(0, 1);
};
template <typename A>
concept AssignableWhileTemporary = requires(const A& a) {
  a.T() = a;
};
template <typename A>
concept AddsText = requires(const A& a) {
  a + "1";
};
template <typename A>
concept AddsCharacter = requires(const A& a) {
  a + '1';
};
template <typename S>
concept AssignableByName = requires(S& selection, const Array& a) {
  selection = a;
};
static_assert(!TakesCorrectionAsKeepdims<Array>);
static_assert(!AssignableWhileTemporary<Array>);
static_assert(!AddsText<Array> && !AddsCharacter<Array>);
static_assert(!AssignableByName<Selection>);
static_assert(!std::convertible_to<Array, bool>);
static_assert(std::ranges::input_range<Array>);

TEST(ArrayMethods, ReductionsTakeAxesOrOptions) {
  const Array a = counting<double>({2, 3});
  expect_values(a.sum(), {}, {15});
  expect_values(a.sum(0), {3}, {3, 5, 7});
  expect_values(a.sum(-1, true), {2, 1}, {3, 12});
  expect_values(a.sum({0, 1}, true), {1, 1}, {15});
  expect_values(a.sum({1}), {2}, {3, 12});
  expect_values(a.sum(Dims{}), {2, 3}, {0, 1, 2, 3, 4, 5});
  EXPECT_EQ(sum(a, {.axes = {0, 1}, .dtype = DType::int32}).dtype(), DType::int32);
  expect_values(sum(a, {.axes = 0, .keepdims = true}), {1, 3}, {3, 5, 7});
  expect_values(a.prod(0), {3}, {0, 4, 10});
  expect_values(a.min(1), {2}, {0, 3});
  expect_values(a.max(1), {2}, {2, 5});
  expect_values(a.mean(0), {3}, {1.5, 2.5, 3.5});
  expect_values(a.var(0), {3}, {2.25, 2.25, 2.25});
  expect_values(std(a, {.axes = 0}, 1).astype(DType::float32), {3},
                std::vector<double>(3, std::sqrt(4.5F)));
  expect_values(a.any(1), {2}, {1, 1});
  expect_values(a.all(1), {2}, {0, 1});
  expect_values(a.argmax(), {}, {5});
  expect_values(a.argmin(1, true), {2, 1}, {0, 0});
  expect_values(a.cumsum(), {6}, {0, 1, 3, 6, 10, 15});
  expect_values(a.cumprod(1), {2, 3}, {0, 0, 0, 3, 12, 60});
  EXPECT_THROW(a.sum(2), AxisError);
}

TEST(ArrayMethods, ShapesAndElements) {
  const Array a = counting<double>({2, 3});
  expect_values(a.reshape({3, -1}), {3, 2}, {0, 1, 2, 3, 4, 5});
  expect_values(a.T(), {3, 2}, {0, 3, 1, 4, 2, 5});
  EXPECT_EQ(counting<double>({2, 3, 4}).transpose({2, 0, 1}).shape(), (Dims{4, 2, 3}));
  expect_values(a.swapaxes(0, 1).ravel(), {6}, {0, 3, 1, 4, 2, 5});
  EXPECT_EQ(a.reshape({1, 6, 1}).squeeze(0).shape(), (Dims{6, 1}));
  EXPECT_EQ(a.reshape({1, 6, 1}).squeeze({0, 2}).shape(), (Dims{6}));
  expect_values(a.diagonal(1), {2}, {1, 5});
  expect_values(a.clip(1, 3.5), {2, 3}, {1, 1, 2, 3, 3.5, 3.5});
  expect_values(a.take(array_of<std::int64_t>({2, 0}, {2}), 1), {2, 2}, {2, 0, 5, 3});
  expect_values(a.dot(a.T()), {2, 2}, {5, 14, 14, 50});
  EXPECT_EQ(a.view(DType::int64).dtype(), DType::int64);
  const Array z = a * std::complex<double>(0, 1);
  expect_values(z.imag(), {2, 3}, {0, 1, 2, 3, 4, 5});
  expect_values(z.conj().imag()[{1, 2}], {}, {-5});
  expect_values(z.real(), {2, 3}, {0, 0, 0, 0, 0, 0});
  EXPECT_THROW(a.astype(DType::int8, Casting::safe), CastingError);
  const Array b = a.copy('F');
  b.fill(7);
  expect_values(b, {2, 3}, std::vector<double>(6, 7));
  expect_values(a[0], {3}, {0, 1, 2});
  EXPECT_TRUE(is_same(a.to(cpu()), a));
}

TEST(ArrayMethods, NumbersOnBothSidesAreWeak) {
  const Array small = counting<float>({2});
  EXPECT_EQ((small * 2.0).dtype(), DType::float32);
  EXPECT_EQ((1 - small).dtype(), DType::float32);
  EXPECT_EQ((small * 2.0F).dtype(), DType::float32);
  EXPECT_EQ((small * 2.0L).dtype(), DType::float32);
  EXPECT_EQ((small * std::complex<float>(0, 1)).dtype(), DType::complex64);
  EXPECT_EQ((small * Scalar(2.0)).dtype(), DType::float64);
  const Array bytes = counting<std::uint8_t>({2});
  EXPECT_EQ((bytes + 1LL).dtype(), DType::uint8);
  EXPECT_EQ((bytes + true).dtype(), DType::uint8);
  EXPECT_EQ((std::size_t{2} + bytes).dtype(), DType::uint8);
  EXPECT_EQ((bytes / 2).dtype(), DType::float64);
  EXPECT_THROW(bytes + 256, OverflowError);
  const Array wide = counting<std::uint64_t>({2});
  expect_values(wide + UINT64_MAX == array_of<std::uint64_t>({UINT64_MAX, 0}, {2}), {2}, {1, 1});
  EXPECT_THROW(counting<std::int64_t>({2}) + UINT64_MAX, OverflowError);
  expect_values(maximum(small, 0.5), {2}, {0.5, 1});
}

TEST(ArrayMethods, Operators) {
  const Array a = counting<std::int64_t>({4});
  expect_values(a % 3, {4}, {0, 1, 2, 0});
  expect_values(7 - a, {4}, {7, 6, 5, 4});
  expect_values((a & 1) | (a << 2) | (a >> 1), {4}, {0, 5, 9, 13});
  expect_values(a ^ 1, {4}, {1, 0, 3, 2});
  expect_values(-a, {4}, {0, -1, -2, -3});
  expect_values(+a, {4}, {0, 1, 2, 3});
  expect_values(~a, {4}, {-1, -2, -3, -4});
  expect_values(1 < a, {4}, {0, 0, 1, 1});
  expect_values(2 >= a, {4}, {1, 1, 1, 0});
  expect_values(2 == a, {4}, {0, 0, 1, 0});
  expect_values(a != a[{Slice{.step = -1}}], {4}, {1, 1, 1, 1});
  expect_values(a[0] + a[3] * a[2], {}, {6});
}

TEST(ArrayMethods, CompoundOperatorsWriteWhereTheArrayIs) {
  Array a = counting<std::int32_t>({2, 3});
  const Array row = a[1];
  a += 10;
  a -= row;  // which is a part of it
  expect_values(a, {2, 3}, {-3, -3, -3, 0, 0, 0});
  (a += 5) *= 2;
  a %= 7;
  a |= 8;
  a &= 12;
  a ^= 1;
  a <<= 2;
  a >>= 1;
  expect_values(a, {2, 3}, {26, 26, 26, 18, 18, 18});
  expect_values(row, {3}, {18, 18, 18});
  EXPECT_THROW(a /= 2, CastingError);
  EXPECT_THROW(a += counting<std::int32_t>({4}), ValueError);
  Array x = counting<float>({3});
  x /= 2;
  expect_values(x, {3}, {0, 0.5, 1});
  EXPECT_EQ(x.dtype(), DType::float32);
}

TEST(Selections, AreReadAndWritten) {
  Array a = counting<double>({3, 4});
  a[0] = 1;
  a[{1, Slice{1, 3}}] = array_of<double>({-1, -2}, {2});
  a[{Slice{}, -1}] = a[{Slice{}, 0}];
  expect_values(a, {3, 4}, {1, 1, 1, 1, 4, -1, -2, 4, 8, 9, 10, 8});
  a[a < 0] = 0;
  a[array_of<std::int64_t>({0, 2}, {2})] += 100;
  a[{Ellipsis{}, Slice{.start = 3}}] -= 1;
  expect_values(a, {3, 4}, {101, 101, 101, 100, 4, 0, 0, 3, 108, 109, 110, 107});
  a[a > 100] /= 2;
  expect_values(a[a > 54].sum(), {}, {100 + 54.5 + 55});
  EXPECT_EQ(a[NewAxis{}].shape(), (Dims{1, 3, 4}));
  EXPECT_EQ(a[0].rank(), 1);
  EXPECT_EQ(a[0].size(), 4);
  EXPECT_EQ(a[0].dtype(), DType::float64);
  EXPECT_EQ(a[0].device(), cpu());
  const std::size_t last = 2;
  expect_values(a[last][{last}], {}, {55});
  expect_values(a[array_of<std::int64_t>({1, 0}, {1, 2})[0]][{Slice{}, 1}], {2}, {0, 50.5});
  a.T()[0] = 9;
  expect_values(a[{Slice{}, 0}], {3}, {9, 9, 9});
  EXPECT_THROW(a[3].array(), IndexError);
  EXPECT_THROW((a[{0, 0, 0}] = 1), IndexError);
}

// A selection by name is what its array is at each use; an Array is what was selected.
TEST(Selections, ByName) {
  Array a = counting<double>({4});
  auto large = a[a > 1];
  const Array copied = large;
  a[2] = 20;
  expect_values(large, {2}, {20, 3});
  expect_values(copied, {2}, {2, 3});
  auto middle = a[Slice{1, 3}];
  middle += 1;
  expect_values(a, {4}, {0, 2, 21, 3});
}

TEST(ArrayMethods, AreIteratedOverTheFirstAxis) {
  const Array a = counting<double>({2, 3});
  std::vector<double> sums;
  for (Array row : a) {
    row += 1;
    sums.push_back(row.sum().item<double>());
  }
  EXPECT_EQ(sums, (std::vector<double>{6, 15}));
  for (const Array& column : a.T()[Slice{1, 2}]) expect_values(column, {2}, {2, 5});
  expect_values(*std::ranges::next(a.begin()), {3}, {4, 5, 6});
  for (const Array& row : a[Slice{2, 2}]) ADD_FAILURE() << row.size();
  const Array number = a.sum();
  EXPECT_THROW(number.begin(), TypeError);
}

TEST(ArrayMethods, TruthIsOfOneElement) {
  const Array a = counting<double>({3});
  EXPECT_TRUE((a == a).all());
  EXPECT_FALSE(a[0]);
  EXPECT_TRUE(!a[0] && a[1]);
  EXPECT_EQ(message_of<ValueError>([&] { return static_cast<bool>(a); }),
            "the truth of an array of shape (3,) is ambiguous: use any() or all()");
}

}  // namespace
}  // namespace cupola
