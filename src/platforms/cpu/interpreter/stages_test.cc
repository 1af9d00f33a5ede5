// Launches in parts have the bits of whole ones.

#include "platforms/cpu/interpreter/stages.h"

#include <limits>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "codegen/cuda/cuda_text_plans.h"
#include "core/layout.h"
#include "driver/testing/sample_launch.h"
#include "driver/testing/sample_plans.h"
#include "platforms/cpu/interpreter/tile_runner.h"

namespace cupola::cpu {
namespace {

using testing::SampleLaunch;

void run_on_host(const KernelPlan& plan, const LaunchArguments& arguments) {
  run_plan(TileProgram(plan), arguments);
}

// Parts in any order; what a part writes must not depend on what others left. Gives the number of
// stages that divide.
int run_in_parts(const TileProgram& program, const SampleLaunch& launch, const LaunchStages& stages,
                 std::mt19937& random) {
  const LaunchArguments& arguments = launch.arguments;
  const auto before = launch.outputs();
  std::vector<std::uint64_t> scratch(stages.scratch_bytes / 8 + 8, 0x5A5A5A5A5A5A5A5Au);
  const std::int64_t elements = element_count(arguments.extents);
  int divided = 0;
  for (int stage = 0; stage < stages.count; ++stage) {
    std::vector<WorkPart> parts{{0, elements}};
    if (stages.divides[static_cast<std::size_t>(stage)]) {
      parts = testing::random_parts(elements, random);
      ++divided;
    }
    std::shuffle(parts.begin(), parts.end(), random);
    for (const WorkPart& part : parts) {
      Stages one(stage, part, elements, scratch.data());
      run_plan(program, arguments, one);
    }
    EXPECT_TRUE(stores_results(launch.plan, stages, stage) || launch.outputs() == before);
  }
  return divided;
}

// Orders of the parts that are tried, and of how many plans one is: where each access is watched, a
// plan takes a second, and all share the code that divides them.
#if defined(__SANITIZE_THREAD__)
constexpr int kOrders = 1;
constexpr std::size_t kPlansForOne = 3;
#else
constexpr int kOrders = 4;
constexpr std::size_t kPlansForOne = 1;
#endif

class StagesOfPlans : public ::testing::TestWithParam<NamedPlan> {};

TEST_P(StagesOfPlans, PartsHaveTheBitsOfTheWhole) {
  std::mt19937 random(7);
  bool does_something = false, has_several = false;
  int divided = 0;
  for (const Dims& extents : testing::sample_extents(GetParam().plan, random, true)) {
    for (const std::optional<bool> is_outer : {std::optional<bool>(), std::optional(true)}) {
      has_several = has_several || element_count(extents) > 1;
      SampleLaunch launch(GetParam().plan, extents, static_cast<unsigned>(random()), run_on_host);
      launch.arguments.is_outer = is_outer;
      const TileProgram program(launch.plan);
      const auto before = launch.outputs();
      run_plan(program, launch.arguments);
      const auto expected = launch.outputs();
      does_something = does_something || expected != before;
      const LaunchStages stages = stages_of(program, launch.arguments);
      EXPECT_GT(stages.count, 0);
      for (int i = 0; i < kOrders; ++i) {
        launch.reset_outputs(before);
        divided += run_in_parts(program, launch, stages, random);
        EXPECT_TRUE(launch.outputs() == expected) << to_string(extents);
      }
    }
  }
  EXPECT_TRUE(does_something);
  const StoreKind store = GetParam().plan.outputs[0].store;
  EXPECT_EQ(divided > 0, has_several && store != StoreKind::scatter && store != StoreKind::combine);
}

std::vector<NamedPlan> plans_for_the_cpu() {
  std::vector<NamedPlan> all = cuda_text_plans();
  std::erase_if(all, [](const NamedPlan& named) { return !named.plan.calls.empty(); });
  std::size_t number = 0;
  std::erase_if(all, [&](const NamedPlan&) { return number++ % kPlansForOne != 0; });
  return all;
}

INSTANTIATE_TEST_SUITE_P(Plans, StagesOfPlans, ::testing::ValuesIn(plans_for_the_cpu()),
                         [](const auto& test) { return test.param.name; });

LaunchStages stages_of_sample(const std::string& name, const Dims& extents) {
  const SampleLaunch launch(plan_of(name), extents, 1, run_on_host);
  return stages_of(TileProgram(launch.plan), launch.arguments);
}

TEST(Stages, SayWhatDivides) {
  EXPECT_TRUE(stages_of_sample("add_packs", {100000}).divides[0]);
  EXPECT_TRUE(stages_of_sample("compress_greater", {100000}).divides[0]);
  EXPECT_FALSE(stages_of_sample("scatter_plain", {100000}).divides[0]);
  EXPECT_FALSE(stages_of_sample("scatter_add", {100000}).divides[0]);
  EXPECT_TRUE(stages_of_sample("cumsum_int32", {10, 1000}).divides[0]);
  EXPECT_FALSE(stages_of_sample("cumsum_int32", {1, 1000}).divides[0]);
  EXPECT_EQ(stages_of_sample("sum_all", {60000}).count, 1);
  const LaunchStages sum = stages_of_sample("sum_all", {600000});
  EXPECT_EQ(sum.count, 2);
  EXPECT_TRUE(sum.divides[0]);
  EXPECT_FALSE(sum.divides[1]);
  EXPECT_EQ(sum.scratch_bytes, 64);  // 10 chunks of 4 bytes
  EXPECT_EQ(stages_of_sample("add_packs", {0}).count, 0);
}

TEST(Stages, TheCallerMayDoAll) {
  Stages alone;
  alone.stay_on_caller();
  std::vector<std::pair<std::int64_t, std::int64_t>> ranges;
  const auto caller = std::this_thread::get_id();
  const auto note = [&](std::int64_t first, std::int64_t last) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    ranges.emplace_back(first, last);
  };
  alone.loop(1'000'000, 1, note);
  alone.loop(0, 1, note);
  alone.in_order(3, note);
  ASSERT_EQ(ranges.size(), 2u);
  EXPECT_EQ(ranges[0], std::pair(std::int64_t{0}, std::int64_t{1'000'000}));
  EXPECT_EQ(ranges[1], std::pair(std::int64_t{0}, std::int64_t{3}));
  EXPECT_NE(alone.take(64), nullptr);
}

// Every block is in one part, at the cut that is asked for, however large the numbers are.
TEST(Stages, CutsLeaveNothingOut) {
  std::mt19937_64 random(3);
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < 1000; ++i) {
    const auto elements = 1 + static_cast<std::int64_t>(random() >> (1 + random() % 63)) % kMax;
    const auto blocks = static_cast<std::int64_t>(random() >> (1 + random() % 63));
    std::int64_t next = 0;
    std::mt19937 cuts(static_cast<unsigned>(i));
    for (const WorkPart& part : testing::random_parts(elements, cuts)) {
      const BlockRange range = cut(part, blocks, elements);
      EXPECT_EQ(range.first, next);
      EXPECT_LE(range.first, range.end);
      next = range.end;
    }
    EXPECT_EQ(next, blocks);
  }
}

}  // namespace
}  // namespace cupola::cpu
