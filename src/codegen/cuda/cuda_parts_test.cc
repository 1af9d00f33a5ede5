// Which blocks of a launch a part has.

#include <gtest/gtest.h>

#include "codegen/cuda/cuda_launch.h"
#include "codegen/cuda/cuda_text_plans.h"

namespace cupola {
namespace {

using plans::kContiguous;
using plans::kStrided;

CudaLaunch launch_of(const KernelPlan& plan, const Dims& extents, const Dims& strides) {
  LaunchArguments arguments{.extents = extents};
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    arguments.inputs.push_back({nullptr, strides});
  }
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
    arguments.outputs.push_back({nullptr, strides});
  }
  return cuda_launch(*cuda_family(plan), arguments);
}

CudaLaunch sums(std::int64_t rows, std::int64_t length, bool columns) {
  const auto f32 = DType::float32;
  const KernelPlan plan =
      plans::reduce(PlanKind::reduce, UfuncId::add, f32, f32, f32, kStrided, false, 2, 1, kStrided);
  return launch_of(plan, {rows, length}, columns ? Dims{1, rows} : Dims{length, 1});
}

TEST(CudaParts, OfAMapAdjoin) {
  const CudaLaunch launch =
      launch_of(plans::binary(UfuncId::add, DType::float32, kContiguous, true), {1000000}, {1});
  ASSERT_TRUE(stages_of(launch).divides[0]);
  unsigned int next = 0;
  for (const WorkPart& part : {WorkPart{0, 400000}, {400000, 400001}, {400001, 1000000}}) {
    CudaStage stage = launch.stages[0];
    cupola_device::KernelHeader header = launch.header;
    const bool any = keep_part(stage, header, part, 1000000);
    EXPECT_EQ(any, stage.grid_x > 0);
    EXPECT_EQ(header.first_x, next);
    EXPECT_EQ(header.first_y, 0u);
    EXPECT_EQ(header.count, 1000000u);
    next += stage.grid_x;
  }
  EXPECT_EQ(next, launch.stages[0].grid_x);
}

TEST(CudaParts, OfColumnsFollowTheRowsInMemory) {
  const CudaLaunch columns = sums(64, 20000, true);
  ASSERT_EQ(columns.stage_count, 2);
  const LaunchStages stages = stages_of(columns);
  EXPECT_TRUE(stages.divides[0]);
  EXPECT_FALSE(stages.divides[1]);
  EXPECT_GT(stages.scratch_bytes, 0u);
  CudaStage stage = columns.stages[0];
  const unsigned int tiles = stage.grid_y;
  cupola_device::KernelHeader header = columns.header;
  EXPECT_TRUE(keep_part(stage, header, {640000, 1280000}, 1280000));
  EXPECT_EQ(header.first_x, 0u);
  EXPECT_EQ(header.first_y, tiles / 2);
  EXPECT_EQ(stage.grid_x, columns.stages[0].grid_x);
  EXPECT_EQ(header.first_y + stage.grid_y, tiles);

  const CudaLaunch one_tile = sums(6400, 100, true);
  ASSERT_EQ(one_tile.stage_count, 1);
  EXPECT_EQ(one_tile.stages[0].parts, CudaParts::along_x);
}

TEST(CudaParts, OfLongScansAreWholeRows) {
  const KernelPlan plan = plans::reduce(PlanKind::scan, UfuncId::add, DType::float32,
                                        DType::float32, DType::float32, kContiguous, true, 2, 1);
  const CudaLaunch launch = launch_of(plan, {3, 18000}, {18000, 1});
  EXPECT_EQ(launch.stages[0].grid_x, 9u);
  EXPECT_TRUE(stages_of(launch).divides[0]);
  EXPECT_EQ(stages_of(launch).scratch_bytes, 0u);  // each part has its own
  CudaStage stage = launch.stages[0];
  cupola_device::KernelHeader header = launch.header;
  EXPECT_TRUE(keep_part(stage, header, {18001, 36000}, 54000));
  EXPECT_EQ(header.first_x, 3u);
  EXPECT_EQ(stage.grid_x, 3u);
  EXPECT_FALSE(stages_of(launch_of(plan, {1, 18000}, {18000, 1})).divides[0]);
}

TEST(CudaParts, NoneOfWhatMeetsInMemory) {
  const Dims many{100000}, strides{1};
  for (const KernelPlan& plan : {plans::scatter(DType::float32, false, {}),
                                 plans::scatter(DType::int32, false, {UfuncId::add}),
                                 plans::scatter(DType::float32, false, {UfuncId::power})}) {
    const LaunchStages stages = stages_of(launch_of(plan, many, strides));
    for (std::size_t i = 0; i < static_cast<std::size_t>(stages.count); ++i) {
      EXPECT_FALSE(stages.divides[i]);
    }
  }
  const CudaLaunch launch = launch_of(plans::scatter(DType::float32, false, {}), many, strides);
  CudaStage stage = launch.stages[0];
  cupola_device::KernelHeader header = launch.header;
  EXPECT_TRUE(keep_part(stage, header, {0, 100000}, 100000));
  EXPECT_EQ(stage.grid_x, launch.stages[0].grid_x);
}

}  // namespace
}  // namespace cupola
