#include "cupola/ops/strides.h"

#include <limits>

#include "base/testing/message_of.h"
#include "core/array_state.h"
#include "cupola/ops/creation.h"
#include "cupola/ops/functions.h"
#include "cupola/ops/manip.h"
#include "ops/test_support.h"

namespace cupola {
namespace {

using test::counting;
using test::cpu;
using test::expect_values;
using testing::message_of;

TEST(Strides, WindowsShareMemoryAndAreReadOnly) {
  const Array a = counting<double>({5});
  const Array windows = strided_view(a, {3, 3}, {1, 1});
  EXPECT_EQ(windows.state().storage, a.state().storage);
  EXPECT_FALSE(windows.writable());
  expect_values(windows, {3, 3}, {0, 1, 2, 1, 2, 3, 2, 3, 4});
  EXPECT_TRUE(strided_view(a, {2, 2}, {3, 1}).writable());
}

TEST(Strides, OfAPendingArray) {
  const Array sum = add(counting<double>({5}), counting<double>({5}));
  expect_values(strided_view(sum, {2}, {3}), {2}, {0, 6});
  expect_values(strided_view(sum, {2, 2}, {1, 1}), {2, 2}, {0, 2, 2, 4});
}

TEST(Strides, ReachBackWithinTheStorage) {
  const Array a = counting<double>({6});
  const Array end = split_at(a, std::vector<std::int64_t>{4})[1];
  expect_values(strided_view(end, {3}, {-2}), {3}, {4, 2, 0});
  EXPECT_EQ(
      message_of<ValueError>([&] { strided_view(end, {4}, {-2}); }),
      "the view touches elements -2 to 4 of memory that holds 6; the array starts at element 4");
}

TEST(Strides, NeverLeaveTheMemory) {
  constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
  const Array a = counting<double>({4});
  EXPECT_THROW(strided_view(a, {5}, {1}), ValueError);
  EXPECT_THROW(strided_view(a, {2}, {-1}), ValueError);
  EXPECT_THROW(strided_view(a, {3}, {kLargest}), ValueError);
  EXPECT_THROW(strided_view(a, {3, 3}, {kLargest, -kLargest}), ValueError);
  EXPECT_THROW(strided_view(a, {kLargest, kLargest}, {0, 0}), ValueError);
  EXPECT_THROW(strided_view(a, {-1}, {1}), ValueError);
  EXPECT_THROW(strided_view(a, {2, 2}, {1}), ValueError);
  EXPECT_THROW(strided_view(empty({0}, DType::float64, cpu()), {1}, {1}), ValueError);
  EXPECT_EQ(strided_view(a, {0, 7}, {kLargest, 1}).size(), 0);
}

}  // namespace
}  // namespace cupola
