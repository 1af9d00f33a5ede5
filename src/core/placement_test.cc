#include "core/placement.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "cupola/error.h"

namespace cupola {
namespace {

using Kind = PlacementRule::Kind;
using Sizes = std::vector<std::size_t>;

const std::vector<std::string> kNames{"cuda:0", "cuda:1", "cuda:2", "cuda:3", "cuda:4"};

PlacementRequest request_of(std::size_t bytes, Sizes free, PlacementRule rule = {},
                            std::size_t granularity = 1) {
  return {bytes, granularity, std::move(free), std::move(rule)};
}

Sizes parts_of(const PlacementRequest& request) { return place(request, kNames).bytes; }

PlacementRule weights(std::vector<double> values) {
  return {Kind::weights, std::move(values), {}, 0};
}
PlacementRule cuts(Sizes values) { return {Kind::cuts, {}, std::move(values), 0}; }
PlacementRule even() { return {Kind::even, {}, {}, 0}; }

TEST(Placement, FollowsTheFreeMemory) {
  EXPECT_EQ(parts_of(request_of(600, {100, 200, 900})), (Sizes{50, 100, 450}));
  EXPECT_EQ(parts_of(request_of(1200, {100, 200, 900})), (Sizes{100, 200, 900}));
}

TEST(Placement, NearlyEqualFreeMemoryIsDividedEvenly) {
  EXPECT_EQ(parts_of(request_of(60, {350, 400, 380})), (Sizes{20, 20, 20}));
  EXPECT_EQ(parts_of(request_of(1100, {350, 400, 380})), (Sizes{350, 375, 375}));
  EXPECT_EQ(parts_of(request_of(90, {400, 100, 400})), (Sizes{40, 10, 40}));
  EXPECT_EQ(parts_of(request_of(749, {349, 400})), (Sizes{349, 400}));
  EXPECT_NEAR(place(request_of(70, {300, 400}), kNames).wished[0], 3.0 / 7, 1e-12);
}

TEST(Placement, FollowsWeightsAndCuts) {
  EXPECT_EQ(parts_of(request_of(100, {100, 100}, even())), (Sizes{50, 50}));
  EXPECT_EQ(parts_of(request_of(100, {100, 100}, weights({3, 1}))), (Sizes{75, 25}));
  EXPECT_EQ(parts_of(request_of(100, {100, 100, 100}, weights({1, 0, 1}))), (Sizes{50, 0, 50}));
  EXPECT_EQ(parts_of(request_of(100, {100, 100, 100}, cuts({10, 10}))), (Sizes{10, 0, 90}));
}

TEST(Placement, RoundsToGranules) {
  EXPECT_EQ(parts_of(request_of(1000, {4096, 4096}, even(), 64)), (Sizes{512, 512}));
  EXPECT_EQ(parts_of(request_of(1, {4096, 4096}, even(), 64)), (Sizes{64, 0}));
  EXPECT_EQ(parts_of(request_of(640, {4096, 4096}, cuts({96}), 64)), (Sizes{128, 512}));
  EXPECT_EQ(parts_of(request_of(640, {4096, 4096}, cuts({95}), 64)), (Sizes{64, 576}));
  EXPECT_EQ(parts_of(request_of(640, {4096, 4096}, cuts({95}), 1)), (Sizes{95, 545}));
}

TEST(Placement, AFullMemberLeavesItsShareToTheOthers) {
  EXPECT_EQ(parts_of(request_of(300, {10, 1000, 1000}, even())), (Sizes{10, 145, 145}));
  EXPECT_EQ(parts_of(request_of(300, {0, 200, 1000}, weights({1, 2, 1}))), (Sizes{0, 200, 100}));
  EXPECT_EQ(parts_of(request_of(320, {63, 1000}, even(), 64)), (Sizes{0, 320}));
}

TEST(Placement, SmallAllocationsLieOnOneMember) {
  PlacementRule rule = even();
  rule.threshold = 200;
  EXPECT_EQ(parts_of(request_of(199, {200, 900, 300}, rule)), (Sizes{199, 0, 0}));
  EXPECT_EQ(parts_of(request_of(199, {100, 300, 900}, rule)), (Sizes{0, 0, 199}));
  EXPECT_EQ(parts_of(request_of(199, {100, 100, 100}, rule)), (Sizes{66, 67, 66}));
  EXPECT_EQ(parts_of(request_of(200, {200, 900, 300}, rule)), (Sizes{67, 66, 67}));
  rule = weights({0, 1, 1});
  rule.threshold = 200;
  EXPECT_EQ(parts_of(request_of(100, {900, 100, 200}, rule)), (Sizes{0, 0, 100}));
}

TEST(Placement, TellsHowFarItIsFromTheWish) {
  const Placement placement = place(request_of(640, {6400, 6400}, weights({1, 2}), 64), kNames);
  EXPECT_EQ(placement.bytes, (Sizes{192, 448}));
  EXPECT_NEAR(placement.wished[1], 2.0 / 3, 1e-12);
  EXPECT_NEAR(placement.deviation, 640.0 / 3 - 192, 1e-9);
}

TEST(Placement, BadWeightsAndCutsAreRefused) {
  const Sizes free{100, 100};
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinite = std::numeric_limits<double>::infinity();
  for (const auto& bad : std::vector<std::vector<double>>{
           {1}, {1, 1, 1}, {}, {-1, 2}, {0, 0}, {nan, 1}, {infinite, 1}}) {
    EXPECT_THROW(parts_of(request_of(10, free, weights(bad))), ValueError);
  }
  EXPECT_THROW(parts_of(request_of(10, free, cuts({}))), ValueError);
  EXPECT_THROW(parts_of(request_of(10, free, cuts({3, 4}))), ValueError);
  EXPECT_THROW(parts_of(request_of(10, free, cuts({11}))), ValueError);
  EXPECT_THROW(parts_of(request_of(10, {100, 100, 100}, cuts({5, 4}))), ValueError);
}

void expect_account(const PlacementRequest& request, const std::string& words) {
  try {
    parts_of(request);
    FAIL();
  } catch (const OutOfMemoryError& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(Placement, TooMuchIsRefusedWithTheAccount) {
  expect_account(request_of(301, {100, 200}), "cuda:0 has 100 free, cuda:1 has 200 free");
  expect_account(request_of(201, {100, 200}, weights({0, 1})), "201 bytes");
  expect_account(request_of(200, {100, 200}, cuts({150})), "need 150 on cuda:0");
  expect_account(request_of(128, {63, 127}, even(), 64), "more than all devices");
}

// ---- properties

Sizes random_sizes(std::mt19937_64& random, std::size_t count, std::size_t most) {
  Sizes sizes;
  for (std::size_t i = 0; i < count; ++i) sizes.push_back(random() % (most + 1));
  return sizes;
}

TEST(Placement, CoversExactlyAndFitsWhereASplitFits) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 20000; ++round) {
    const std::size_t members = 1 + random() % 5;
    const std::size_t granularity = std::size_t{1} << random() % 8;
    const Sizes free = random_sizes(random, members, round % 2 ? 4000 : 100000000000);
    std::size_t room = 0;
    for (const std::size_t bytes : free) room += bytes / granularity * granularity;
    if (room == 0) continue;
    PlacementRule rule;
    rule.kind = random() % 2 ? Kind::by_free : Kind::even;
    rule.threshold = random() % 3 ? 0 : random() % 1000;
    const std::size_t bytes = 1 + random() % room;
    const Placement placement = place(request_of(bytes, free, rule, granularity), kNames);
    const std::size_t whole = (bytes + granularity - 1) / granularity * granularity;
    EXPECT_EQ(std::accumulate(placement.bytes.begin(), placement.bytes.end(), std::size_t{0}),
              whole);
    for (std::size_t i = 0; i < members; ++i) {
      EXPECT_LE(placement.bytes[i], free[i]);
      EXPECT_EQ(placement.bytes[i] % granularity, 0u);
    }
  }
}

TEST(Placement, IsWithinAGranuleOfTheWishWhereThereIsRoom) {
  std::mt19937_64 random(6);
  for (int round = 0; round < 20000; ++round) {
    const std::size_t members = 1 + random() % 5;
    const std::size_t granularity = std::size_t{1} << random() % 22;
    const std::size_t bytes = 1 + random() % 1000000000;
    std::vector<double> wanted;
    for (std::size_t i = 0; i < members; ++i) {
      wanted.push_back(static_cast<double>(random() % 1000) * std::pow(10.0, random() % 6));
    }
    wanted[random() % members] += 1;
    const Sizes free(members, std::size_t{1} << 40);
    const Placement placement =
        place(request_of(bytes, free, weights(wanted), granularity), kNames);
    EXPECT_LE(placement.deviation, static_cast<double>(granularity) * (1 + 1e-9));
    for (std::size_t i = 0; i < members; ++i) {
      if (wanted[i] == 0) {
        EXPECT_EQ(placement.bytes[i], 0u);
      }
    }
  }
}

}  // namespace
}  // namespace cupola
