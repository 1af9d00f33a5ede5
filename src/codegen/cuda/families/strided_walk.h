#pragma once
// How one launch of a map goes through operands with strides.

#include <optional>

#include "codegen/cuda/cuda_arguments.h"
#include "codegen/cuda/families/strided_sizes.h"
#include "codegen/plan.h"

namespace cupola {

struct StripWalk {
  int length;  // neighbours of a strip
  unsigned int
      lead;  // elements that the first one lacks in front: results are stored by whole ones
};
// Where strips serve.
std::optional<StripWalk> find_strips(const KernelPlan& plan, const StridedSizes& sizes,
                                     const LaunchArguments& arguments);
// How many rows at a time serve where rows lie between each other's elements.
std::optional<unsigned int> find_interleaved(const KernelPlan& plan, const StridedSizes& sizes,
                                             const LaunchArguments& arguments);
// Where strips across the ends of rows serve: rows are short, and strips within them do not.
std::optional<StripWalk> find_strips_across(const KernelPlan& plan, const StridedSizes& sizes,
                                            const LaunchArguments& arguments);
// Where some operand runs along another dimension than the results: which one, and what
// goes through shared memory.
std::optional<CudaView> find_tiles(const KernelPlan& plan, const StridedSizes& sizes,
                                   const LaunchArguments& arguments);
// Whether these tiles read by whole 16-byte vectors and store by packs of sizes.tile_pack.
bool have_vectors(const CudaView& view, const KernelPlan& plan, const StridedSizes& sizes,
                  const LaunchArguments& arguments);
// How tiles of other addresses store: sets view.tiling.skew and .packs.
void choose_packs(CudaView& view, const KernelPlan& plan, const StridedSizes& sizes,
                  const LaunchArguments& arguments);

}  // namespace cupola
