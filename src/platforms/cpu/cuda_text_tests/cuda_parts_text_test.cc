// Generated CUDA text, compiled for the host and launched in parts: the bits of the whole launch.
// Maps over strides and scans are launched in parts by their own tests, too.

#include <random>
#include <string>

#include <gtest/gtest.h>

#include "codegen/cuda/cuda_text_plans.h"
#include "driver/testing/sample_launch.h"
#include "driver/testing/sample_plans.h"
#include "platforms/cpu/cuda_text_tests/cuda_text_test_support.h"

namespace cupola::cpu {
namespace {

using testing::SampleLaunch;

class CudaTextInParts : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!has_compiler()) GTEST_SKIP() << "no compiler";
  }
  // Launches that the text's kernels share, one block's threads after another.
  void check(const HostText& text, const KernelPlan& plan, const Dims& extents,
             std::optional<bool> is_outer) {
    SampleLaunch launch(plan, extents, static_cast<unsigned>(random_()), run_on_host);
    launch.arguments.is_outer = is_outer;
    const auto before = launch.outputs();
    text.run(launch.arguments);
    const auto expected = launch.outputs();
    does_something_ = does_something_ || expected != before;
    launch.reset_outputs(before);
    const auto deal = [this](std::int64_t elements) {
      ++divided_;
      return testing::random_parts(elements, random_);
    };
    text.run_in_parts(launch.arguments, deal, [&](bool stores) {
      EXPECT_TRUE(stores || launch.outputs() == before) << to_string(extents);
    });
    EXPECT_TRUE(launch.outputs() == expected)
        << to_string(extents) << " " << text.kernel_of(launch.arguments);
  }

  std::mt19937 random_{5};
  bool does_something_ = false;
  int divided_ = 0;
};

TEST_P(CudaTextInParts, HasTheBitsOfTheWhole) {
  const KernelPlan plan = plan_of(GetParam());
  const HostText text(plan);
  for (const Dims& extents : testing::sample_extents(plan, random_)) {
    check(text, plan, extents, std::nullopt);
    if (plan.reduced_rank() > 0) check(text, plan, extents, true);
  }
  EXPECT_TRUE(does_something_);
  EXPECT_GT(divided_, 0);
}

INSTANTIATE_TEST_SUITE_P(Plans, CudaTextInParts,
                         ::testing::Values("add_packs", "multiply_complex64", "mixed",
                                           "random_float32", "normal_float64_strided",
                                           "count_greater", "compress_greater", "expand_strided",
                                           "parted", "parted_wide", "sorted", "sorted_complex128",
                                           "sum_all", "random_sum", "sum_strided", "subtract_rows",
                                           "argmin_float32", "cumsum_int32", "scan_divide",
                                           "segments", "segments_subtract", "softmax",
                                           "softmax_strided", "standardise", "moments_columns",
                                           "mixed_rows", "tally_int64", "tally_values_uint32"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace cupola::cpu
