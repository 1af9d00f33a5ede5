#include "cupola/ops/index.h"

#include "base/testing/message_of.h"
#include "ops/test_support.h"

namespace cupola {
namespace {

using test::array_of;
using test::counting;
using test::expect_values;
using test::mask_of;
using testing::message_of;

Array ints(const std::vector<std::int64_t>& values) {
  return array_of(values, {static_cast<std::int64_t>(values.size())});
}

const IndexTerm kAll = Slice{};

TEST(Index, BasicIndicesAreViews) {
  const Array a = counting<double>({2, 3, 4});
  expect_values(get_index(a, {std::int64_t{1}, Slice{{}, {}, -1}, std::int64_t{-1}}), {3},
                {23, 19, 15});
  expect_values(get_index(a, {Ellipsis{}, Slice{1, 100, 2}, std::int64_t{0}}), {2, 1}, {4, 16});
  EXPECT_EQ(get_index(a, {NewAxis{}, kAll, NewAxis{}}).shape(), (Dims{1, 2, 1, 3, 4}));
  const Array row = get_index(a, {std::int64_t{0}, std::int64_t{1}});
  set_index(row, {Slice{}}, 7.0);
  expect_values(get_index(a, {std::int64_t{0}, std::int64_t{1}}), {4}, {7, 7, 7, 7});
}

TEST(Index, AdvancedDimensionsStandWhereNumpyPutsThem) {
  const Array a = counting<double>({2, 3, 4});
  const auto shape = [&](const Index& index) { return get_index(a, index).shape(); };
  EXPECT_EQ(shape({std::int64_t{0}, kAll, ints({0, 1})}), (Dims{2, 3}));
  EXPECT_EQ(shape({kAll, std::int64_t{0}, ints({0, 1})}), (Dims{2, 2}));
  EXPECT_EQ(shape({ints({0}), Ellipsis{}, ints({0})}), (Dims{1, 3}));
  EXPECT_EQ(shape({kAll, ints({0}), Ellipsis{}, ints({1, 1})}), (Dims{2, 2}));
  EXPECT_EQ(shape({kAll, mask_of({1}, {})}), (Dims{2, 1, 3, 4}));
  EXPECT_EQ(shape({mask_of({0}, {})}), (Dims{0, 2, 3, 4}));
  EXPECT_EQ(shape({mask_of({1}, {}), ints({0, 1})}), (Dims{2, 3, 4}));
  EXPECT_EQ(shape({ints({0}), NewAxis{}, ints({0})}), (Dims{1, 1, 4}));
}

TEST(Index, AdvancedGet) {
  const Array a = counting<double>({2, 3, 4});
  expect_values(get_index(a, {ints({-1, 0}), ints({2, 0})}), {2, 4}, {20, 21, 22, 23, 0, 1, 2, 3});
  expect_values(get_index(a, {kAll, ints({2}), Slice{3, {}, -2}}), {2, 1, 2}, {11, 9, 23, 21});
  const Array b = counting<double>({2, 3});
  expect_values(get_index(b, {mask_of({1, 0, 0, 0, 1, 1}, {2, 3})}), {3}, {0, 4, 5});
  expect_values(get_index(b, {mask_of({0, 1}, {2})}), {1, 3}, {3, 4, 5});
  expect_values(get_index(b, {kAll, mask_of({1, 0, 1}, {3})}), {2, 2}, {0, 2, 3, 5});
}

TEST(Index, CountsLeaveOtherNumbersOut) {
  const Array numbers = ints({2, -1, 0, 3, 2, INT64_MIN, INT64_MAX});
  expect_values(bincount(numbers, 3), {3}, {1, 0, 2});
  expect_values(bincount(numbers, 0), {0}, {});
}

TEST(Index, SumsOfPartsAreApart) {
  const Array numbers = ints({1, 0, 1, -1, 2, 1, 1});
  const Array weights = array_of<double>({1, 2, 4, 8, 16, 32, 64}, {7});
  expect_values(sums_of_parts(numbers, weights, 2, 2), {2, 2}, {2, 5, 0, 96});
  expect_values(sums_of_parts(numbers, weights, 3, 3), {1, 3}, {2, 101, 16});
  expect_values(sums_of_parts(ints({}), array_of<double>({}, {0}), 3, 3), {0, 3}, {});
  EXPECT_THROW(sums_of_parts(numbers, ints({1}), 2, 2), ValueError);
  EXPECT_THROW(sums_of_parts(numbers, weights, -1, 2), ValueError);
  EXPECT_THROW(sums_of_parts(numbers, weights, 2, 41), ValueError);
}

TEST(Index, OutOfBounds) {
  const Array a = counting<double>({2, 3});
  EXPECT_EQ(message_of<IndexError>([&] { get_index(a, {std::int64_t{5}}); }),
            "index 5 is out of bounds for axis 0 with size 2");
  EXPECT_EQ(message_of<IndexError>([&] {
              get_index(a, {kAll, ints({1, -9, 7})});
            }),
            "index -9 is out of bounds for axis 1 with size 3");
  EXPECT_EQ(message_of<IndexError>([&] {
              get_index(a, {kAll, kAll, kAll});
            }),
            "too many indices for array: array is 2-dimensional, but 3 were indexed");
  EXPECT_THROW(get_index(a, {mask_of({1, 1, 1}, {3})}), IndexError);
  EXPECT_THROW(get_index(a, {counting<double>({2})}), IndexError);
  EXPECT_THROW(get_index(a, {ints({0, 1}), ints({0, 1, 2})}), IndexError);
  EXPECT_THROW(get_index(a, {Slice{{}, {}, 0}}), ValueError);
}

TEST(Index, AdvancedSet) {
  const Array a = counting<std::int64_t>({5});
  set_index(a, {ints({0, 0, -1})}, array_of<double>({7.9, 8.9, 9.9}, {3}));
  expect_values(a, {5}, {8, 1, 2, 3, 9});
  EXPECT_THROW(set_index(a, {ints({0, 9})}, 1), IndexError);
  EXPECT_EQ(message_of<ValueError>([&] {
              set_index(a, {ints({0, 1})}, ints({1, 2, 3}));
            }),
            "shape mismatch: value array of shape (3,) could not be broadcast to indexing result "
            "of shape (2,)");
  expect_values(a, {5}, {8, 1, 2, 3, 9});
  const Array b = counting<std::int64_t>({2, 3});
  set_index(b, {kAll, ints({2, 0})}, array_of<std::int64_t>({-1, -2}, {2, 1}));
  expect_values(b, {2, 3}, {-1, 1, -1, -2, 4, -2});
}

TEST(Index, MaskedSet) {
  const Array a = counting<std::int64_t>({5});
  const Array mask = mask_of({0, 0, 1, 1, 0}, {5});
  set_index(a, {mask}, ints({7, 8}));
  expect_values(a, {5}, {0, 1, 7, 8, 4});
  set_index(a, {mask}, -1);
  expect_values(a, {5}, {0, 1, -1, -1, 4});
  EXPECT_EQ(message_of<ValueError>([&] {
              set_index(a, {mask}, ints({1, 2, 3}));
            }),
            "NumPy boolean array indexing assignment cannot assign 3 input values to the 2 output "
            "values where the mask is true");
  const Array b = counting<std::int64_t>({2, 3});
  set_index(b, {mask_of({0, 1}, {2})}, ints({9, 8, 7}));
  expect_values(b, {2, 3}, {0, 1, 2, 9, 8, 7});
  EXPECT_THROW(set_index(broadcast_to(a, {2, 5}), {std::int64_t{0}}, 1), ValueError);
}

TEST(Index, TakeAndPut) {
  const Array a = transpose(counting<double>({2, 3}));  // 0 3 / 1 4 / 2 5
  expect_values(take(a, ints({1, -1})), {2}, {3, 5});
  expect_values(take(a, array_of<std::int64_t>({1, 0, 0, 1}, {2, 2}), 1), {3, 2, 2},
                {3, 0, 0, 3, 4, 1, 1, 4, 5, 2, 2, 5});
  expect_values(take(a, ints({-4, 9}), {}, IndexMode::wrap), {2}, {1, 4});
  expect_values(take(a, ints({-4, 9}), {}, IndexMode::clip), {2}, {0, 5});
  EXPECT_THROW(take(array_of<double>({}, {0}), ints({0})), IndexError);
  put(a, ints({0, 1, -1}), ints({7, 8}));
  expect_values(a, {3, 2}, {7, 8, 1, 4, 2, 7});
  EXPECT_THROW(put(a, ints({6}), 1), IndexError);
  expect_values(take_along_axis(a, array_of<std::int64_t>({1, 0, 1}, {3, 1}), 1), {3, 1},
                {8, 1, 7});
  put_along_axis(a, array_of<std::int64_t>({2, 0}, {1, 2}), 0, 0);
  expect_values(a, {3, 2}, {7, 0, 1, 4, 0, 7});
}

TEST(Index, ChooseSelectNonzero) {
  const Array choices[] = {counting<double>({3}), array_of<double>({7, 8, 9}, {3})};
  expect_values(choose(ints({1, 0, 1}), choices), {3}, {7, 1, 9});
  EXPECT_THROW(choose(ints({0, 2, -1}), choices), ValueError);
  const Array conditions[] = {mask_of({1, 0, 0}, {3}), mask_of({1, 1, 0}, {3})};
  const Operand cases[] = {choices[1], 5};
  expect_values(select(conditions, cases, -1), {3}, {7, 5, -1});
  const std::vector<Array> found = nonzero(array_of<double>({0, 1, 2, 0}, {2, 2}));
  expect_values(found[0], {2}, {0, 1});
  expect_values(found[1], {2}, {1, 0});
  EXPECT_THROW(nonzero(array_of<double>({1}, {})), ValueError);
}

}  // namespace
}  // namespace cupola
