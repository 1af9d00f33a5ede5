// Generated CUDA text of masks, compiled for the host, against plain loops.

#include <random>

#include <gtest/gtest.h>

#include "codegen/cuda/cuda_text_plans.h"
#include "platforms/cpu/cuda_text_tests/cuda_text_test_support.h"

namespace cupola::cpu {
namespace {

class CudaMaskText : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_compiler()) GTEST_SKIP() << "no compiler";
  }
};

constexpr float kLimit = 0.5F;

// Element i lies at i * stride.
struct Case {
  std::int64_t count, stride;
  double share;  // of elements above the limit
  std::vector<float> values() const {
    std::mt19937 random(static_cast<unsigned>(count));
    std::bernoulli_distribution above(share);
    std::vector<float> result(static_cast<std::size_t>(count * stride));
    for (float& value : result) {
      value = (above(random) ? 1.0F : 0.0F) + static_cast<float>(random() % 400) / 1000;
    }
    return result;
  }
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const std::int64_t count : {1, 31, 33, 1023, 1024, 1025, 8191, 8192, 8193, 20000}) {
    for (const double share : {0.0, 0.1, 0.5, 1.0}) {
      all.push_back({count, 1, share});
      all.push_back({count, 3, share});
    }
  }
  return all;
}

TEST_F(CudaMaskText, CountsAndSelects) {
  const HostText packed(plans::greater(StoreKind::count, DType::float32, plans::kContiguous, true));
  const HostText counting(plans::greater(StoreKind::count, DType::float32, plans::kStrided, false));
  const HostText compressing(
      plans::greater(StoreKind::compress, DType::float32, plans::kStrided, false));
  for (const Case& one : cases()) {
    std::vector<float> values = one.values();
    std::vector<std::int64_t> ends, counts(static_cast<std::size_t>(mask_tiles(one.count)), -1);
    std::vector<float> selected;
    for (std::int64_t i = 0; i < one.count; ++i) {
      const float value = values[static_cast<std::size_t>(i * one.stride)];
      if (value > kLimit) selected.push_back(value);
      if ((i + 1) % kMaskTile == 0 || i + 1 == one.count) ends.push_back(std::ssize(selected));
    }
    LaunchArguments arguments{.extents = {one.count},
                              .inputs = {{values.data(), {one.stride}}},
                              .outputs = {{counts.data(), {}}},
                              .scalars = {Scalar(kLimit)}};
    (one.stride == 1 ? packed : counting).run(arguments);
    std::partial_sum(counts.begin(), counts.end(), counts.begin());
    EXPECT_EQ(counts, ends) << one.count;
    std::vector<float> found(selected.size() + 1, -1.0F);
    arguments.inputs.push_back({ends.data(), {}});
    arguments.outputs = {{found.data(), {}}};
    compressing.run(arguments);
    EXPECT_EQ(found.back(), -1.0F) << "nothing behind the selected elements is written";
    found.pop_back();
    EXPECT_EQ(found, selected) << one.count;
    // Counts of less than there is: no more is written than was counted.
    std::vector<std::int64_t> fewer(ends.size());
    for (std::size_t t = 0; t < ends.size(); ++t) fewer[t] = ends[t] / 2;
    std::vector<float> bounded(static_cast<std::size_t>(fewer.back()) + 1, -1.0F);
    arguments.inputs[1].pointer = fewer.data();
    arguments.outputs = {{bounded.data(), {}}};
    compressing.run(arguments);
    EXPECT_EQ(bounded.back(), -1.0F);
  }
}

TEST_F(CudaMaskText, Fills) {
  const HostText filling(plans::expand(DType::float32, plans::kStrided, 1));
  for (const Case& one : cases()) {
    const std::vector<float> above = one.values();
    std::vector<std::uint8_t> mask;
    for (const float value : above) mask.push_back(value > kLimit ? 1 : 0);
    std::vector<std::int64_t> ends;
    std::vector<std::int32_t> values(2 * mask.size() + 2);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int32_t>(i);
    std::vector<float> target(mask.size(), -1.0F), expected = target;
    std::int64_t rank = 0;
    for (std::int64_t i = 0; i < one.count; ++i) {
      const auto at = static_cast<std::size_t>(i * one.stride);
      if (mask[at]) expected[at] = static_cast<float>(2 * rank++);
      if ((i + 1) % kMaskTile == 0 || i + 1 == one.count) ends.push_back(rank);
    }
    filling.run({.extents = {one.count},
                 .inputs = {{mask.data(), {one.stride}}, {values.data(), {}}, {ends.data(), {}}},
                 .outputs = {{target.data(), {one.stride}}},
                 .scalars = {Scalar(std::int64_t{2})}});
    EXPECT_EQ(target, expected) << one.count;
  }
}

}  // namespace
}  // namespace cupola::cpu
