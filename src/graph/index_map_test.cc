#include "graph/index_map.h"

#include <gtest/gtest.h>

namespace cupola {
namespace {

std::optional<IndexMap> find(const Dims& shape, const Dims& view, const Layout& place) {
  return IndexMap::find(shape, c_strides(shape), view, place);
}

TEST(IndexMap, StepsAndOffsetsFollowTheArray) {
  const auto map = find({4, 6}, {2, 3}, {{12, -2}, 11});  // [1::2, ::-2]
  ASSERT_TRUE(map);
  const Layout columns = map->apply({{1, 4}, 100});
  EXPECT_EQ(columns.strides, (Dims{2, -8}));
  EXPECT_EQ(columns.offset, 100 + 1 + 5 * 4);
}

TEST(IndexMap, DimensionsChangePlacesComeAndGo) {
  const auto map = find({4, 5, 6}, {6, 1, 4}, {{1, 1, 30}, 12});  // [:, 2].T[:, None]
  ASSERT_TRUE(map);
  const Layout layout = map->apply({{100, 10, 1}, 0});
  EXPECT_EQ(layout.strides, (Dims{1, 0, 100}));
  EXPECT_EQ(layout.offset, 20);
}

TEST(IndexMap, WhatBroadcastsStaysSmall) {
  const auto map = find({4, 6}, {6, 4}, {{1, 6}, 0});
  ASSERT_TRUE(map);
  EXPECT_EQ(map->shape_of({6}), (Dims{6, 1}));
  EXPECT_EQ(map->shape_of({4, 1}), (Dims{1, 4}));
  EXPECT_EQ(map->shape_of({4, 6}), (Dims{6, 4}));
  EXPECT_EQ(map->apply({{0, 3}, 7}).strides, (Dims{3, 0}));
}

TEST(IndexMap, DimensionsMayBeSplit) {
  const auto map = find({12}, {3, 4}, {{4, 1}, 0});
  ASSERT_TRUE(map);
  EXPECT_EQ(map->apply({{5}, 2}).strides, (Dims{20, 5}));
}

TEST(IndexMap, ArraysMayLieInAnyOrder) {
  const auto map = IndexMap::find({3, 4}, {1, 3}, {3}, {{1}, 6});  // [:, 2]
  ASSERT_TRUE(map);
  EXPECT_EQ(map->apply({{4, 1}, 0}).strides, (Dims{4}));
  EXPECT_EQ(map->apply({{4, 1}, 0}).offset, 2);
}

TEST(IndexMap, SomeViewsHaveNone) {
  EXPECT_FALSE(find({3, 4}, {12}, {{1}, 0}));             // merged
  EXPECT_FALSE(find({3, 4}, {3}, {{5}, 0}));              // a diagonal
  EXPECT_FALSE(find({3, 4}, {3, 2, 4}, {{4, 0, 1}, 0}));  // repeated
  EXPECT_FALSE(find({3, 4}, {0, 4}, {{4, 1}, 0}));        // nothing
  EXPECT_FALSE(find({3, 4}, {3, 4}, {{4, -1}, 0}));       // beyond the first
}

}  // namespace
}  // namespace cupola
