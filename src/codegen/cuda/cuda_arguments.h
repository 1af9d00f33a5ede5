#pragma once
// The one parameter of a generated kernel: a struct whose layout follows from the plan. The text
// of the struct and the bytes of a launch are both made from the fields listed here.

#include <cstddef>
#include <string>
#include <vector>

#include "codegen/cuda/families/family.h"
#include "codegen/device/kernel_arguments.cuh"
#include "codegen/plan.h"

namespace cupola {

enum class CudaFieldKind : std::uint8_t {
  extent,        // Divider of extents[dimension]
  input_stride,  // of inputs[index] along dimension
  output_stride,
  turn,   // of inputs[index] along dimension (LaunchArguments::turns)
  jump,   // from there on, to be added to its offsets
  input,  // pointers
  output,
  scalar,
  flat_stride,  // of contiguous operands along dimension, for tiles
  tiling,
};

struct CudaField {
  CudaFieldKind kind;
  std::uint16_t index;
  std::uint16_t dimension;
  std::uint16_t offset;  // bytes from the front of the struct
};

// How one launch sees the dimensions: `exchanged` and the last but one in each other's place.
struct CudaView {
  int exchanged = -1;  // -1: all in their places
  cupola_device::Tiling tiling{};
};

struct CudaArguments {
  bool wide = false;
  std::vector<CudaField> fields;
  std::size_t bytes = 0;
};

CudaArguments cuda_arguments(const CudaFamily& family);
inline constexpr std::size_t kJoinedBytes = 4096;  // of several launches in one, at most
// So many launches have room there, at most; 1: none are joined.
std::size_t joined_launches(const CudaArguments& arguments);
// "struct Arguments {...};"
std::string cuda_arguments_text(const KernelPlan& plan, const CudaArguments& arguments);
// "stride_in0_1", "extent2", "in0", "scalar1": the member that holds a field.
std::string field_name(CudaFieldKind kind, int index, int dimension);

// Writes layout.bytes bytes at `target`. Throws LaunchError when a number does not fit the
// 32-bit arithmetic of a plan that is not wide.
void pack_cuda_arguments(const CudaArguments& layout, const LaunchArguments& launch,
                         const cupola_device::KernelHeader& header, const CudaView& view,
                         std::byte* target);

}  // namespace cupola
