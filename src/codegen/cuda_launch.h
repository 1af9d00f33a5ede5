#pragma once
// Which kernels of a plan's text one launch runs, with how many threads, and what scratch memory
// they share. A function of the plan and of the extents and strides only: never of the device.

#include <cstddef>
#include <vector>

#include "codegen/cuda_traits.h"
#include "codegen/device/kernel_arguments.cuh"
#include "codegen/plan.h"

namespace cupola {

// A kernel of the text: its name is KernelCode::entry with this suffix.
struct CudaStage {
  const char* suffix;
  unsigned int grid_x;
  unsigned int grid_y;
};

struct CudaLaunch {
  cupola_device::KernelHeader header;  // but for the scratch pointer
  std::vector<CudaStage> stages;       // in order; none when there is nothing to do
  std::size_t scratch_bytes = 0;
  std::size_t zeroed_bytes = 0;  // at the front of the scratch
  std::size_t set_bytes = 0;     // after these: every bit set
};

inline constexpr unsigned int kCudaBlock = 256;  // threads of every block

// Suffixes of all kernels that the text of a plan must hold.
std::vector<const char*> cuda_kernels(const KernelPlan& plan, const CudaTraits& traits);

// Throws LaunchError when the launch needs more blocks than a grid has, or 64-bit arithmetic that
// the plan does not have.
CudaLaunch cuda_launch(const KernelPlan& plan, const CudaTraits& traits,
                       const LaunchArguments& arguments);

}  // namespace cupola
