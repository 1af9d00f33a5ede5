// Random numbers by CUDA text, compiled for the host, and by the loops of the CPU.

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

class CudaTextOfRandomNumbers : public ::testing::TestWithParam<std::string> {};

TEST_P(CudaTextOfRandomNumbers, HasTheBitsOfTheLoops) {
  if (!has_compiler()) GTEST_SKIP() << "no compiler";
  const KernelPlan plan = plan_of(GetParam());
  const HostText text(plan);
  std::mt19937 random(3);
  for (const Dims& extents : testing::sample_extents(plan, random)) {
    SampleLaunch launch(plan, extents, static_cast<unsigned>(random()), run_on_host);
    const auto before = launch.outputs();
    text.run(launch.arguments);
    const auto by_text = launch.outputs();
    launch.reset_outputs(before);
    run_on_host(plan, launch.arguments);
    EXPECT_TRUE(launch.outputs() == by_text) << to_string(extents);
    EXPECT_TRUE(element_count(extents) == 0 || by_text != before) << to_string(extents);
  }
}

INSTANTIATE_TEST_SUITE_P(Plans, CudaTextOfRandomNumbers,
                         ::testing::Values("random_uint32", "random_uint64", "random_float32",
                                           "random_float64", "normal_float32", "normal_float64",
                                           "exponential_float32", "exponential_float64",
                                           "random_uint32_strided", "normal_float32_strided",
                                           "normal_float64_strided", "scaled_bits", "random_gamma",
                                           "random_log_gamma", "random_vonmises", "random_poisson",
                                           "random_binomial", "random_hypergeometric",
                                           "random_zipf", "random_logseries",
                                           "random_gamma_strided"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace cupola::cpu
