// Launches in parts on the fake driver of tests/fake_cuda: which blocks begin where.

#include <cuda.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "codegen/cuda/cuda_text.h"
#include "codegen/cuda/cuda_text_plans.h"
#include "codegen/device/kernel_arguments.cuh"
#include "core/layout.h"
#include "driver/driver.h"
#include "driver/registry.h"
#include "driver/testing/sample_launch.h"
#include "driver/testing/sample_plans.h"
#include "platforms/cuda/fake_tests/fake_process.h"
#include "platforms/cuda/fake_tests/recorded_launch.h"

extern "C" cupola::Driver* cupola_create_driver(const char** reason);

namespace cupola::cuda {
namespace {

using cupola_device::KernelHeader;
using fake_cuda::Launch;
using testing::SampleLaunch;

TEST(FakeParts, BlocksAdjoin) {
  if (!has_fake_cuda()) GTEST_SKIP() << "tests/fake_cuda is not built";
  EXPECT_EQ(status_of_fake_process("FakePartsProcess.*"), 0);
}

struct Seen : Launch {
  explicit Seen(const Launch& launch) : Launch(launch) {
    std::memcpy(&header, argument, sizeof header);
  }
  KernelHeader header;
};

class FakePartsProcess : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!is_fake_process()) GTEST_SKIP() << "run by FakeParts";
    driver_ = cupola_create_driver(nullptr);
    ASSERT_NE(driver_, nullptr);
    ASSERT_EQ(driver_->device_count(), 2);
    void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    ASSERT_NE(library, nullptr);
    take_ = reinterpret_cast<Take>(dlsym(library, "fake_cuda_take_launches"));
    ASSERT_NE(take_, nullptr);
    reinterpret_cast<void (*)(std::size_t)>(dlsym(library, "fake_cuda_watch_launches"))(
        sizeof(KernelHeader));
    for (int device : {0, 1}) streams_.push_back(driver_->create_stream(device));
  }
  void TearDown() override {
    for (StreamHandle stream : streams_) driver_->destroy_stream(stream);
  }

  std::vector<Seen> take() {
    std::vector<Launch> launches(100);
    launches.resize(take_(launches.data(), launches.size()));
    return {launches.begin(), launches.end()};
  }

  // Memory is never looked at.
  static void run_nothing(const KernelPlan&, const LaunchArguments&) {}

  std::vector<Seen> launch(const std::shared_ptr<Kernel>& kernel,
                           const LaunchArguments& arguments) {
    driver_->launch(kernel, arguments, streams_[0]);
    return take();
  }

  // The launches of a stage's parts are `whole`, cut along one axis.
  void check_stage(const std::shared_ptr<Kernel>& kernel, const LaunchArguments& arguments,
                   int stage, const Seen& whole) {
    char scratch[1];
    unsigned int next_x = 0, next_y = 0;
    bool along_x = false, along_y = false;
    for (const WorkPart& part : testing::random_parts(element_count(arguments.extents), random_)) {
      const std::size_t device = random_() % 2;
      driver_->launch_stage(kernel, arguments, stage, part, scratch, streams_[device]);
      const std::vector<Seen> seen = take();
      if (seen.empty()) continue;
      ASSERT_EQ(seen.size(), 1u);
      EXPECT_EQ(seen[0].device, static_cast<int>(device));
      along_x = along_x || seen[0].grid_x != whole.grid_x;
      along_y = along_y || seen[0].grid_y != whole.grid_y;
      EXPECT_EQ(seen[0].header.first_x, seen[0].grid_x == whole.grid_x ? 0 : next_x);
      EXPECT_EQ(seen[0].header.first_y, seen[0].grid_y == whole.grid_y ? 0 : next_y);
      EXPECT_EQ(seen[0].header.count, whole.header.count);
      EXPECT_EQ(seen[0].header.tiles, whole.header.tiles);
      next_x += seen[0].grid_x;
      next_y += seen[0].grid_y;
    }
    EXPECT_FALSE(along_x && along_y);
    EXPECT_TRUE(along_y || next_x == whole.grid_x) << next_x;
    EXPECT_TRUE(along_x || next_y == whole.grid_y) << next_y;
    divided_ = divided_ || along_x || along_y;
  }

  void check(const std::string& name) {
    const KernelPlan plan = plan_of(name);
    const std::shared_ptr<Kernel> kernel = driver_->build(plan, 0);
    for (const Dims& extents : testing::sample_extents(plan, random_)) {
      const SampleLaunch sample(plan, extents, 1, run_nothing);
      const std::vector<Seen> whole = launch(kernel, sample.arguments);
      const LaunchStages stages = driver_->stages_of(*kernel, sample.arguments);
      ASSERT_EQ(whole.size(), static_cast<std::size_t>(stages.count)) << name;
      for (int stage = 0; stage < stages.count; ++stage) {
        const Seen& own = whole[static_cast<std::size_t>(stage)];
        EXPECT_EQ(own.header.first_x, 0u);
        EXPECT_EQ(own.header.first_y, 0u);
        if (stages.divides[static_cast<std::size_t>(stage)]) {
          check_stage(kernel, sample.arguments, stage, own);
          continue;
        }
        char scratch[1];
        driver_->launch_stage(kernel, sample.arguments, stage,
                              {0, element_count(sample.arguments.extents)}, scratch, streams_[1]);
        const std::vector<Seen> seen = take();
        ASSERT_EQ(seen.size(), 1u) << name;
        EXPECT_EQ(seen[0].device, 1);
        EXPECT_EQ(seen[0].grid_x, own.grid_x);
        EXPECT_EQ(seen[0].grid_y, own.grid_y);
      }
    }
  }

  using Take = std::size_t (*)(Launch*, std::size_t);
  Driver* driver_ = nullptr;
  Take take_ = nullptr;
  std::vector<StreamHandle> streams_;
  std::mt19937 random_{13};
  bool divided_ = false;
};

TEST_F(FakePartsProcess, OfEveryPlan) {
  for (const NamedPlan& named : cuda_text_plans()) {
    if (named.plan.calls.empty()) check(named.name);
  }
  EXPECT_TRUE(divided_);
}

// Also where the driver has the launch as a graph.
TEST_F(FakePartsProcess, OfRepeatedLaunches) {
  const KernelPlan plan = plan_of("add_packs");
  const std::shared_ptr<Kernel> kernel = driver_->build(plan, 0);
  const SampleLaunch sample(plan, {1 << 16}, 1, run_nothing);
  const unsigned int blocks = launch(kernel, sample.arguments).at(0).grid_x;
  bool was_graph = false;
  for (int i = 0; i < 40; ++i) {
    const bool second = i % 2 == 1;
    const WorkPart part = second ? WorkPart{1 << 15, 1 << 16} : WorkPart{0, 1 << 15};
    driver_->launch_stage(kernel, sample.arguments, 0, part, nullptr, streams_[0]);
    const Seen seen = take().at(0);
    was_graph = was_graph || seen.is_graph;
    EXPECT_EQ(seen.grid_x, blocks / 2);
    EXPECT_EQ(seen.header.first_x, second ? blocks / 2 : 0);
    const Seen whole = launch(kernel, sample.arguments).at(0);
    EXPECT_EQ(whole.grid_x, blocks);
    EXPECT_EQ(whole.header.first_x, 0u);
  }
  EXPECT_TRUE(was_graph);
}

}  // namespace
}  // namespace cupola::cuda
