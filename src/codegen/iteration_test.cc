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

// The place of element `i` of a row that is in two pieces.
std::int64_t place_of(const Iteration& it, std::size_t operand, std::size_t d, std::int64_t i) {
  const bool is_behind = it.turns[operand][d] > 0 && i >= it.turns[operand][d];
  return it.offsets[operand] + (i - (is_behind ? it.extents[d] : 0)) * it.strides[operand][d];
}

TEST(Iteration, TurnsAroundWhatIsInTwoPieces) {
  for (const std::int64_t turn : {1, 3, 6}) {
    Iteration it = make({7}, {{-1}, {2}});
    it.turns = {{}, {turn}};
    std::vector<std::int64_t> places;
    for (std::int64_t i = 7; i-- > 0;) places.push_back(place_of(it, 1, 0, i));
    simplify(it, 0);
    for (std::int64_t i = 0; i < 7; ++i) {
      EXPECT_EQ(place_of(it, 1, 0, i), places[static_cast<std::size_t>(i)]) << turn << " " << i;
    }
  }
}

TEST(Iteration, MergesRowsIntoPieces) {
  Iteration it = make({5, 4}, {{4, 1}, {4, 1}});
  it.turns = {{}, {2, 0}};
  simplify(it, 0);
  EXPECT_EQ(it.extents, Dims({20}));
  EXPECT_EQ(it.turns[1], Dims({8}));
}

TEST(Iteration, KeepsRowsInTwoPiecesApart) {
  Iteration it = make({1, 5, 4}, {{20, 4, 1}, {20, 4, 1}});
  it.turns = {{}, {0, 0, 3}};
  simplify(it, 0);
  EXPECT_EQ(it.extents, Dims({5, 4}));
  EXPECT_EQ(it.turns[1], Dims({0, 3}));
}

TEST(Iteration, TurnsFollowTheirDimensions) {
  Iteration it = make({3, 4}, {{1, 3}, {1, 3}});
  it.turns = {{}, {2, 0}};
  simplify(it, 0);
  EXPECT_EQ(it.extents, Dims({4, 3}));
  EXPECT_EQ(it.turns[1], Dims({0, 2}));
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
