#include "codegen/iteration.h"

#include <gtest/gtest.h>

namespace cupola {
namespace {

Iteration make(Dims extents, std::vector<Dims> strides, int reduced_rank = 0) {
  Iteration it;
  it.extents = std::move(extents);
  it.offsets.assign(strides.size(), 0);
  it.strides = std::move(strides);
  it.reduced_rank = reduced_rank;
  return it;
}

TEST(Iteration, MergesWhatEveryOperandWalksAsOne) {
  Iteration it = make({2, 3, 4}, {{12, 4, 1}, {12, 4, 1}});
  simplify(it, 0);
  EXPECT_EQ(it.extents, Dims({24}));
  EXPECT_EQ(it.strides[1], Dims({1}));
}

TEST(Iteration, KeepsABroadcastRowApart) {
  Iteration it = make({3, 4}, {{4, 1}, {0, 1}});
  simplify(it, 0);
  EXPECT_EQ(it.extents, Dims({3, 4}));
}

TEST(Iteration, FollowsTheLeadingOperandsOrder) {
  Iteration it = make({3, 4}, {{1, 3}, {1, 3}});
  simplify(it, 0);
  EXPECT_EQ(it.extents, Dims({12}));
}

TEST(Iteration, TurnsBackwardDimensionsAround) {
  Iteration it = make({5}, {{-1}, {2}});
  simplify(it, 0);
  EXPECT_EQ(it.strides[0], Dims({1}));
  EXPECT_EQ(it.offsets[0], -4);
  EXPECT_EQ(it.strides[1], Dims({-2}));
  EXPECT_EQ(it.offsets[1], 8);
}

TEST(Iteration, LeavesOrderAloneWhereItMatters) {
  Iteration it = make({3, 4}, {{1, -3}, {4, 1}});
  it.permute_kept = false;
  simplify(it, 0);
  EXPECT_EQ(it.extents, Dims({3, 4}));
  EXPECT_EQ(it.strides[0], Dims({1, -3}));
  EXPECT_EQ(it.offsets[0], 0);
}

TEST(Iteration, NeverMergesKeptWithReduced) {
  Iteration it = make({6, 4}, {{4, 1}, {1, 0}}, 1);
  simplify(it, 0);
  EXPECT_EQ(it.extents, Dims({6, 4}));
  EXPECT_EQ(it.reduced_rank, 1);
}

TEST(Iteration, KeepsOneReducedDimension) {
  Iteration it = make({6, 1, 1}, {{1, 1, 1}, {1, 0, 0}}, 2);
  simplify(it, 0);
  EXPECT_EQ(it.extents, Dims({6, 1}));
  EXPECT_EQ(it.reduced_rank, 1);
}

TEST(Iteration, ReducingEverythingLeavesNoKeptDimension) {
  Iteration it = make({6, 4}, {{4, 1}, {0, 0}}, 2);
  simplify(it, 0);
  EXPECT_EQ(it.extents, Dims({24}));
  EXPECT_EQ(it.reduced_rank, 1);
}

TEST(Iteration, RankZeroBecomesOneElement) {
  Iteration it = make({}, {{}, {}});
  simplify(it, 0);
  EXPECT_EQ(it.extents, Dims({1}));
  EXPECT_EQ(it.strides[1], Dims({0}));
}

TEST(Iteration, KeepsEmptyExtents) {
  Iteration it = make({3, 0, 2}, {{0, 2, 1}});
  simplify(it, 0);
  EXPECT_EQ(std::count(it.extents.begin(), it.extents.end(), 0), 1);
}

}  // namespace
}  // namespace cupola
