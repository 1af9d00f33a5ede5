#include "core/layout.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "cupola/error.h"

namespace cupola {
namespace {

Dims broadcast(const Dims& a, const Dims& b) {
  const std::array<Dims, 2> shapes{a, b};
  return broadcast_shapes(shapes);
}

TEST(Layout, CountsElements) {
  EXPECT_EQ(element_count({}), 1);
  EXPECT_EQ(element_count({2, 3, 4}), 24);
  EXPECT_EQ(element_count({5, 0}), 0);
  EXPECT_THROW(element_count({-1}), ValueError);
  EXPECT_THROW(element_count({std::int64_t{1} << 40, std::int64_t{1} << 40}), ValueError);
  EXPECT_THROW(element_count({0, std::int64_t{1} << 40, std::int64_t{1} << 40}), ValueError);
}

TEST(Layout, MakesStrides) {
  EXPECT_EQ(c_strides({2, 3, 4}), (Dims{12, 4, 1}));
  EXPECT_EQ(f_strides({2, 3, 4}), (Dims{1, 2, 6}));
  EXPECT_EQ(c_strides({2, 0, 4}), (Dims{4, 4, 1}));
  EXPECT_EQ(c_strides({}), Dims{});
}

TEST(Layout, ContiguityIgnoresUnitExtents) {
  EXPECT_TRUE(is_c_contiguous({2, 1, 3}, {3, 77, 1}));
  EXPECT_TRUE(is_f_contiguous({2, 1, 3}, {1, 77, 2}));
  EXPECT_FALSE(is_c_contiguous({2, 3}, {1, 2}));
  EXPECT_FALSE(is_f_contiguous({2, 3}, {3, 1}));
  EXPECT_TRUE(is_c_contiguous({0, 3}, {5, 9}));
  EXPECT_TRUE(is_c_contiguous({}, {}));
}

TEST(Layout, Broadcasts) {
  EXPECT_EQ(broadcast({3, 1}, {4}), (Dims{3, 4}));
  EXPECT_EQ(broadcast({}, {2, 0}), (Dims{2, 0}));
  EXPECT_EQ(broadcast({1}, {0}), (Dims{0}));
  EXPECT_EQ(broadcast_shapes({}), Dims{});
  EXPECT_EQ(broadcast_strides({3, 1}, {7, 5}, {2, 3, 4}), (Dims{0, 7, 0}));
}

TEST(Layout, BroadcastErrorShowsAllShapes) {
  try {
    broadcast({2, 3}, {4});
    FAIL();
  } catch (const ValueError& error) {
    EXPECT_STREQ(error.what(), "operands could not be broadcast together with shapes (2, 3) (4,)");
  }
  EXPECT_THROW(broadcast({0}, {2}), ValueError);
}

TEST(Layout, TouchedExtent) {
  const Extent reversed = touched_extent({3, 2}, {{-2, 1}, 4});
  EXPECT_EQ(reversed.first, 0);
  EXPECT_EQ(reversed.last, 5);
  const Extent empty = touched_extent({0}, {{1}, 4});
  EXPECT_EQ(empty.last, 3);
}

TEST(Layout, OverlapsItself) {
  EXPECT_FALSE(overlaps_itself({2, 3}, {3, 1}));
  EXPECT_FALSE(overlaps_itself({2, 3}, {-1, 2}));
  EXPECT_TRUE(overlaps_itself({2, 3}, {0, 1}));
  EXPECT_TRUE(overlaps_itself({3, 3}, {1, 1}));
  EXPECT_FALSE(overlaps_itself({1, 3}, {0, 1}));
  EXPECT_FALSE(overlaps_itself({0, 3}, {0, 0}));
  EXPECT_TRUE(overlaps_itself({2}, {0}));
}

TEST(Layout, NormalizesAxes) {
  EXPECT_EQ(normalize_axis(-1, 3), 2);
  EXPECT_THROW(normalize_axis(3, 3), AxisError);
  EXPECT_THROW(normalize_axis(std::numeric_limits<std::int64_t>::min(), 3), AxisError);
  EXPECT_EQ(normalize_axes({-1, 0}, 2), (Dims{1, 0}));
  EXPECT_THROW(normalize_axes({0, -2}, 2), ValueError);
}

TEST(Layout, ReshapesWithoutCopy) {
  Dims strides;
  ASSERT_TRUE(reshape_strides({2, 6}, {6, 1}, {4, 3}, strides));
  EXPECT_EQ(strides, (Dims{3, 1}));
  ASSERT_TRUE(reshape_strides({2, 6}, {12, 2}, {1, 2, 2, 3}, strides));
  EXPECT_EQ((Dims{strides[1], strides[2], strides[3]}), (Dims{12, 6, 2}));
  EXPECT_FALSE(reshape_strides({2, 3}, {1, 2}, {6}, strides));
  ASSERT_TRUE(reshape_strides({1, 4}, {99, 5}, {4, 1}, strides));
  EXPECT_EQ(strides, (Dims{5, 5}));
  ASSERT_TRUE(reshape_strides({1, 1}, {7, 7}, {}, strides));
  EXPECT_EQ(strides.size(), 0u);
  ASSERT_TRUE(reshape_strides({0, 3}, {1, 5}, {7, 0}, strides));
  ASSERT_TRUE(reshape_strides({4, 6}, {1, 8}, {1, 4, 3, 2, 1}, strides, true));
  EXPECT_EQ(strides, (Dims{1, 1, 8, 24, 48}));
  EXPECT_FALSE(reshape_strides({4, 6}, {1, 8}, {24}, strides, true));
}

TEST(Layout, PackedByRowsOrColumns) {
  EXPECT_TRUE(is_packed({2, 3}, {24, 8}, DType::float64, 'C'));
  EXPECT_FALSE(is_packed({2, 3}, {24, 8}, DType::float64, 'F'));
  EXPECT_TRUE(is_packed({2, 3}, {8, 16}, DType::float64, 'F'));
  EXPECT_FALSE(is_packed({2, 3}, {32, 8}, DType::float64, 'C')) << "a gap";
  EXPECT_FALSE(is_packed({3}, {9}, DType::float64, 'C')) << "no multiple of an element";
  EXPECT_TRUE(is_packed({1, 3}, {-5, 4}, DType::float32, 'C')) << "one row has no next one";
  EXPECT_TRUE(is_packed({0, 3}, {7, 7}, DType::float32, 'F')) << "there is none";
  EXPECT_TRUE(is_packed({}, {}, DType::float32, 'C'));
}

}  // namespace
}  // namespace cupola
