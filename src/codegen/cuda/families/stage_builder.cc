#include "codegen/cuda/families/stage_builder.h"

#include <fmt/format.h>

#include <limits>

#include "codegen/cuda/plan_facts.h"
#include "cupola/error.h"

namespace cupola {
namespace {

std::uint64_t product(const Dims& extents, int first, int last) {
  std::uint64_t result = 1;
  for (int d = first; d < last; ++d) {
    result *= static_cast<std::uint64_t>(extents[static_cast<std::size_t>(d)]);
  }
  return result;
}

}  // namespace

StageBuilder::StageBuilder(const CudaFamily& family, const LaunchArguments& arguments)
    : family_(family), arguments_(arguments) {
  const KernelPlan& plan = family.plan();
  kept_ = product(arguments.extents, 0, kept_rank(plan));
  length_ = product(arguments.extents, kept_rank(plan), arguments.extents.rank());
  constexpr std::uint64_t kNarrow = std::numeric_limits<std::int32_t>::max();
  if (!plan.wide_index && kept_ > 0 && length_ > kNarrow / kept_) {
    throw LaunchError(fmt::format("an iteration space of {} elements needs a plan with wide_index",
                                  to_string(arguments.extents)));
  }
}

int StageBuilder::number_of(std::string_view kernel) const {
  const auto& kernels = family_.kernels();
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (kernel == kernels[i]) return static_cast<int>(i);
  }
  throw LaunchError(fmt::format("the plan's text has no kernel {}", kernel));
}

void StageBuilder::add(std::string_view kernel, std::uint64_t blocks, CudaParts along) {
  add(kernel, blocks, 1, along, 1);
}

void StageBuilder::add(std::string_view kernel, std::uint64_t blocks, std::uint64_t blocks_y,
                       CudaParts along, std::uint64_t together) {
  if (blocks > std::numeric_limits<std::int32_t>::max() || blocks_y > 65535) {
    throw LaunchError(
        fmt::format("a grid of {} x {} blocks is larger than CUDA allows", blocks, blocks_y));
  }
  launch.stages[static_cast<std::size_t>(launch.stage_count++)] = {
      number_of(kernel),
      static_cast<unsigned int>(blocks),
      static_cast<unsigned int>(blocks_y),
      family_.threads(),
      along,
      1,
      static_cast<unsigned int>(together)};
}

void StageBuilder::add_flat(std::string_view kernel, std::uint64_t elements, int pack, int unroll,
                            CudaParts along) {
  const std::uint64_t packs = ceil_div(elements, static_cast<std::uint64_t>(pack));
  add(kernel, ceil_div(packs, static_cast<std::uint64_t>(unroll) * kCudaBlock), along);
}

}  // namespace cupola
