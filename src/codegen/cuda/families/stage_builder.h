#pragma once
// The stages of one launch, as a family adds them.

#include <cstdint>
#include <string_view>

#include "codegen/cuda/cuda_launch.h"
#include "codegen/cuda/families/family.h"
#include "codegen/plan.h"

namespace cupola {

constexpr std::uint64_t ceil_div(std::uint64_t count, std::uint64_t divisor) {
  return (count + divisor - 1) / divisor;
}

class StageBuilder {
 public:
  StageBuilder(const CudaFamily& family, const LaunchArguments& arguments);

  // Elements of the iteration space without the last plan.reduced_rank() dimensions, and of these.
  std::uint64_t kept() const { return kept_; }
  std::uint64_t length() const { return length_; }
  const LaunchArguments& arguments() const { return arguments_; }

  cupola_device::KernelHeader& header() { return launch.header; }
  // Throws LaunchError where the family's text has no such kernel, or a grid not so many blocks.
  void add(std::string_view kernel, std::uint64_t blocks, CudaParts along = CudaParts::along_x);
  // `together`: blocks that wait for each other.
  void add(std::string_view kernel, std::uint64_t blocks, std::uint64_t blocks_y, CudaParts along,
           std::uint64_t together);
  // Each thread takes `unroll` times `pack` of the elements.
  void add_flat(std::string_view kernel, std::uint64_t elements, int pack, int unroll,
                CudaParts along = CudaParts::along_x);

  CudaLaunch launch{};

 private:
  int number_of(std::string_view kernel) const;

  const CudaFamily& family_;
  const LaunchArguments& arguments_;
  std::uint64_t kept_;
  std::uint64_t length_;
};

}  // namespace cupola
