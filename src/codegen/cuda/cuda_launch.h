#pragma once
// Which kernels of a plan's text one launch runs, with how many threads, and what scratch memory
// they share. A function of the plan, of the extents and strides, and of how addresses are aligned:
// never of the device.

#include <array>
#include <cstddef>

#include "codegen/cuda/cuda_arguments.h"
#include "codegen/cuda/families/family.h"
#include "codegen/device/kernel_arguments.cuh"
#include "codegen/launch_parts.h"
#include "codegen/plan.h"

namespace cupola {

// The direction of the grid in which the blocks of one part follow those of another.
enum class CudaParts : std::uint8_t { none, along_x, along_y };

// One run of a kernel of the text.
struct CudaStage {
  int kernel;  // number in CudaFamily::kernels()
  unsigned int grid_x;
  unsigned int grid_y;
  unsigned int threads;  // of a block
  CudaParts parts = CudaParts::none;
  unsigned int joined = 1;    // launches, one behind the other along z
  unsigned int together = 1;  // blocks that wait for each other: never in two parts
};

struct CudaLaunch {
  cupola_device::KernelHeader header;  // but for the scratch pointer
  CudaView view;
  std::array<CudaStage, 3> stages;  // in order
  int stage_count = 0;              // 0 when there is nothing to do
  std::size_t scratch_bytes = 0;
  std::size_t zeroed_bytes = 0;  // at the front of the scratch
  std::size_t set_bytes = 0;     // after these: every bit set
  // Blocks use it for themselves and for those that stay together with them: each part may have
  // such memory of its own, where it runs.
  bool scratch_of_part = false;
  std::int64_t apart = 0;  // LaunchStages::apart
};

// What the launch looks like to those who deal it.
LaunchStages stages_of(const CudaLaunch& launch);
// Leaves the part's blocks of `stage` in the grid, and says in `header` where they begin. Returns
// whether there are any. `elements` are those of the whole iteration space.
bool keep_part(CudaStage& stage, cupola_device::KernelHeader& header, WorkPart part,
               std::int64_t elements);

// Throws LaunchError when the launch needs more blocks than a grid has, or 64-bit arithmetic that
// the plan does not have.
CudaLaunch cuda_launch(const CudaFamily& family, const LaunchArguments& arguments);

}  // namespace cupola
