#include "codegen/cuda/cuda_launch.h"

#include "codegen/cuda/families/stage_builder.h"

namespace cupola {

LaunchStages stages_of(const CudaLaunch& launch) {
  LaunchStages stages{.count = launch.stage_count, .apart = launch.apart};
  if (!launch.scratch_of_part) {
    stages.scratch_bytes = launch.scratch_bytes;
    stages.zeroed_bytes = launch.zeroed_bytes;
    stages.set_bytes = launch.set_bytes;
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(launch.stage_count); ++i) {
    const CudaStage& stage = launch.stages[i];
    const unsigned int blocks = stage.parts == CudaParts::along_y ? stage.grid_y : stage.grid_x;
    stages.divides[i] = stage.parts != CudaParts::none && blocks > stage.together;
  }
  return stages;
}

bool keep_part(CudaStage& stage, cupola_device::KernelHeader& header, WorkPart part,
               std::int64_t elements) {
  if (stage.parts == CudaParts::none) return true;
  const bool along_y = stage.parts == CudaParts::along_y;
  unsigned int& grid = along_y ? stage.grid_y : stage.grid_x;
  const BlockRange kept = cut(part, grid / stage.together, elements);
  (along_y ? header.first_y : header.first_x) =
      static_cast<unsigned int>(kept.first) * stage.together;
  grid = static_cast<unsigned int>(kept.end - kept.first) * stage.together;
  return grid > 0;
}

CudaLaunch cuda_launch(const CudaFamily& family, const LaunchArguments& arguments) {
  StageBuilder stages(family, arguments);
  if (stages.kept() == 0 || stages.length() == 0) return stages.launch;
  stages.header().count = stages.kept();
  stages.header().length = stages.length();
  stages.header().mirror = arguments.mirror;
  family.add_stages(stages);
  return stages.launch;
}

}  // namespace cupola
