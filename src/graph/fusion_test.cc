// Which pending arrays a kernel stores on its way, leaves pending, or finds stored.

#include "graph/fusion.h"

#include <gtest/gtest.h>

#include <utility>

#include "graph/repeats.h"
#include "graph/testing.h"

namespace cupola {
namespace {

using testing::stored;

constexpr int kMany = 32;  // free operations

Array sum_of(const Array& a, const Array& b) { return make_ufunc(UfuncId::add, {a, b}); }

Region region_of(const Array& root, int free_operations) {
  return find_region(
      {&root, 1},
      {.space = root.shape(), .stores_live_outputs = true, .free_operations = free_operations});
}

class LargeArrays : public ::testing::Test {
 protected:
  const Dims shape_{least_left()};
  const Array a_ = stored(shape_);
  const Array b_ = stored(shape_);
};

TEST_F(LargeArrays, OnesThatSomebodyHasAreLeftWhereOperationsAreFree) {
  const Array held = sum_of(a_, b_);
  const Array root = sum_of(held, a_);
  EXPECT_EQ(region_of(root, kMany).left.size(), 1U);
  EXPECT_TRUE(region_of(root, kMany).live_outputs.empty());
  EXPECT_EQ(region_of(root, 0).live_outputs.size(), 1U);
  EXPECT_TRUE(region_of(root, 0).left.empty());
}

TEST_F(LargeArrays, AreLeftOnce) {
  const Array held = sum_of(a_, b_);
  held.state().is_left = true;
  EXPECT_EQ(region_of(sum_of(held, a_), kMany).live_outputs.size(), 1U);
}

TEST_F(LargeArrays, ThatPassAreLeftWhateverTheyCost) {
  const Array held = make_ufunc(UfuncId::exp, {stored({3})});
  const Array root = sum_of(held, held);
  const auto counts = [&] {
    const Region region = region_of(root, 0);
    return std::pair(region.left.size(), region.live_outputs.size());
  };
  {
    const Passing passing(held);
    EXPECT_EQ(counts(), std::pair(1UL, 0UL));
    held.state().is_left = true;
    EXPECT_EQ(counts(), std::pair(0UL, 1UL));
    held.state().is_left = false;
  }
  EXPECT_EQ(counts(), std::pair(0UL, 1UL));
}

TEST_F(LargeArrays, ThatReadMuchOrTakeLongAreStored) {
  const Array wide = sum_of(sum_of(a_, b_), stored(shape_));
  EXPECT_FALSE(may_be_left(wide, kMany));
  const Array slow = make_ufunc(UfuncId::exp, {a_});
  EXPECT_TRUE(may_be_left(slow, kMany));
  EXPECT_FALSE(may_be_left(slow, 4));
  EXPECT_FALSE(may_be_left(make_gather(a_, make_index(shape_, a_.device())), kMany));
}

TEST_F(LargeArrays, SmallerOnesAreStored) {
  const Array few = stored({least_left() - 1});
  EXPECT_FALSE(may_be_left(sum_of(few, few), kMany));
}

TEST_F(LargeArrays, TakeNumbersThatAreComputedFromNumbers) {
  const Array number = make_ufunc(UfuncId::divide, {stored({1}), stored({1})});
  const Array root = sum_of(a_, number);
  EXPECT_TRUE(region_of(root, kMany).materialized_inputs.empty());
  EXPECT_TRUE(region_of(root, kMany).live_outputs.empty());
  EXPECT_EQ(region_of(root, 0).materialized_inputs.size(), 1U);
}

TEST_F(LargeArrays, HaveReductionsInNumbersStoredFirst) {
  const Array total = make_reduce(a_, {0}, UfuncId::add, DType::float32, DType::float32);
  const Array number = make_ufunc(UfuncId::divide, {stored({}), total});
  const Region region = region_of(sum_of(a_, number), kMany);
  ASSERT_EQ(region.materialized_inputs.size(), 1U);
  EXPECT_TRUE(is_same(region.materialized_inputs[0], total));
}

}  // namespace
}  // namespace cupola
