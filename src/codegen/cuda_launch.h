#pragma once
// Which kernels of a plan's text one launch runs, with how many threads, and what scratch memory
// they share. A function of the plan, of the extents and strides, and of how addresses are aligned:
// never of the device.

#include <array>
#include <cstddef>

#include "codegen/cuda_arguments.h"
#include "codegen/cuda_traits.h"
#include "codegen/device/kernel_arguments.cuh"
#include "codegen/plan.h"

namespace cupola {

// One run of a kernel of the text.
struct CudaStage {
  int kernel;  // number in CudaTraits::kernels
  unsigned int grid_x;
  unsigned int grid_y;
};

struct CudaLaunch {
  cupola_device::KernelHeader header;  // but for the scratch pointer
  CudaView view;
  std::array<CudaStage, 3> stages;  // in order
  int stage_count = 0;              // 0 when there is nothing to do
  std::size_t scratch_bytes = 0;
  std::size_t zeroed_bytes = 0;  // at the front of the scratch
  std::size_t set_bytes = 0;     // after these: every bit set
};

inline constexpr unsigned int kCudaBlock = 256;  // threads of every block

// Throws LaunchError when the launch needs more blocks than a grid has, or 64-bit arithmetic that
// the plan does not have.
CudaLaunch cuda_launch(const KernelPlan& plan, const CudaTraits& traits,
                       const LaunchArguments& arguments);

}  // namespace cupola
