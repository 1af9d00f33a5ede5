#pragma once
// How one launch of a map goes through operands with strides.

#include <optional>

#include "codegen/cuda_arguments.h"
#include "codegen/cuda_traits.h"
#include "codegen/plan.h"

namespace cupola {

struct StripWalk {
  int length;  // neighbours of a strip
  unsigned int
      lead;  // elements that the first one lacks in front: results are stored by whole ones
};
// Where strips serve.
std::optional<StripWalk> find_strips(const KernelPlan& plan, const CudaTraits& traits,
                                     const LaunchArguments& arguments);
// Where some operand runs along another dimension than the results: which one, and what
// goes through shared memory.
std::optional<CudaView> find_tiles(const KernelPlan& plan, const CudaTraits& traits,
                                   const LaunchArguments& arguments);
// Whether these tiles read by whole 16-byte vectors and store by packs of traits.tile_pack.
bool have_vectors(const CudaView& view, const KernelPlan& plan, const CudaTraits& traits,
                  const LaunchArguments& arguments);

}  // namespace cupola
