#pragma once
// How one launch of a map goes through operands with strides.

#include <optional>

#include "codegen/cuda_arguments.h"
#include "codegen/cuda_traits.h"
#include "codegen/plan.h"

namespace cupola {

// Where strips serve: the elements that the first one lacks in front, so that results are stored
// by whole strips.
std::optional<unsigned int> find_strips(const KernelPlan& plan, const CudaTraits& traits,
                                        const LaunchArguments& arguments);
// Where some operand runs along another dimension than the results: the tiles, without the band's
// order but with everything else.
std::optional<CudaView> find_tiles(const KernelPlan& plan, const CudaTraits& traits,
                                   const LaunchArguments& arguments);
// Whether these tiles read by whole 16-byte vectors and store by packs of traits.tile_pack.
bool have_vectors(const CudaView& view, const KernelPlan& plan, const CudaTraits& traits,
                  const LaunchArguments& arguments);

}  // namespace cupola
