// Generated CUDA text with functions of users, compiled for the host.

#include <gtest/gtest.h>

#include "codegen/cuda_text_plans.h"
#include "platforms/cpu/cuda_text_test_support.h"

namespace cupola::cpu {
namespace {

TEST(CudaTextOfUsers, ComputesWhatTheBodiesSay) {
  if (!has_compiler()) GTEST_SKIP() << "no compiler";
  constexpr std::int64_t kCount = 1003;
  struct alignas(16) Field {
    float at[kCount + 1];
  };
  Field x, y, out{};
  for (int i = 0; i < kCount; ++i) {
    x.at[i] = static_cast<float>(i % 13) - 4;
    y.at[i] = static_cast<float>(i % 7);
  }
  constexpr float kScalar = 2.5F;
  LaunchArguments arguments;
  arguments.extents = {kCount};
  arguments.inputs = {{x.at, {1}}, {y.at, {1}}};
  arguments.outputs = {{out.at, {1}}};
  arguments.scalars = {Scalar(kScalar)};
  const HostText text(plans::two_users(OperandLayout::contiguous, true));
  text.run(arguments);
  const auto first = [](float a, float limit) { return std::min(a * 3, limit * 3); };
  for (int i = 0; i < kCount; ++i) {
    const float k = first(x.at[i] + y.at[i], kScalar);
    EXPECT_EQ(out.at[i], first((k - 2 - 2) * kScalar, k)) << i;
  }
  EXPECT_EQ(out.at[kCount], 0);
}

}  // namespace
}  // namespace cupola::cpu
