#pragma once
// Selection by rank on CUDA devices (device/kernel_select.cuh): its text, and what is launched.

#include <cstdint>
#include <string>
#include <vector>

#include "codegen/device/kernel_arguments.cuh"
#include "cupola/dims.h"
#include "cupola/dtype.h"

namespace cupola {

// Kernels of the text, by number.
enum class SelectKernel : std::uint8_t { begin, count, step, find };
inline constexpr int kSelectKernels = 4;

// The text of the kernels of a dtype, which is not complex; one of them alone where it is compiled
// with CUPOLA_KERNEL=number.
const std::string& select_text(DType dtype);
const char* select_entry(SelectKernel kernel);

struct SelectLaunch {
  SelectKernel kernel;
  unsigned int grid_x;
  unsigned int known = 0, width = 0, by_part = 0;
};
// The launches of some rows, in their order; the grid has a block in y for each row.
std::vector<SelectLaunch> select_launches(DType dtype, std::int64_t length, std::int64_t ranks);
// Elements of a part are 2^part_log.
unsigned int select_part_log(std::int64_t length, std::int64_t ranks);
// Rows of so many elements are sorted sooner.
inline constexpr std::int64_t kShortestSelected = std::int64_t{1} << 18;

}  // namespace cupola
