#pragma once
// Parts of the generated struct Body, which the kernel skeletons of device/kernel_*.cuh are
// templates over.

#include <string>

#include "codegen/cuda/cuda_traits.h"
#include "codegen/plan.h"

namespace cupola {

// Types and functions that every Body has: Flat, Index, Uniform, Element, uniform().
std::string cuda_common_body(const KernelPlan& plan);
// load(), compute(), put() and, where the traits say so, packs and scatter functions.
std::string cuda_map_body(const KernelPlan& plan, const CudaTraits& traits);
// kPack, Pack, load_pack() and one(), an element of a pack.
std::string cuda_packs(const KernelPlan& plan, int pack);
// holds(), and what counts or stores where it is true.
std::string cuda_mask_body(const KernelPlan& plan, const CudaTraits& traits);
// bin() or key(), and what stores each output.
std::string cuda_order_body(const KernelPlan& plan, const CudaTraits& traits);
// Members for maps over operands with strides: Strip and Tile.
std::string cuda_strided_body(const KernelPlan& plan, const CudaTraits& traits);
// Row, row(), State, at(), quad(), combine(), and finish() or put().
std::string cuda_row_body(const KernelPlan& plan, const CudaTraits& traits);
// Values, Held, Out, start(), Stage0 .., Last, put_row(), run().
std::string cuda_row_program_body(const KernelPlan& plan, const CudaTraits& traits);

// Statements that add to the variable `offset_<operand>` of each strided operand in `operands`
// the place of element `flat` in dimensions [first, last) of the iteration space.
struct StridedOperand {
  std::string name;          // "in1", "out0"
  std::uint32_t turned = 0;  // OperandSpec::turned
};
std::string cuda_offsets(const std::vector<StridedOperand>& operands, const std::string& flat,
                         int first, int last, const std::string& target, std::string_view indent);

}  // namespace cupola
