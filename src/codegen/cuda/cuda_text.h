#pragma once
// CUDA C++ for a plan.

#include <string>

#include "codegen/plan.h"

namespace cupola {

struct CudaCode {
  std::string key;  // of the plan
  KernelPlan plan;
  std::string text;
  std::string entry;  // name of the kernel in the text
};

// The text includes nothing: the device headers that it needs stand in front. It holds the
// kernels that CudaFamily lists, each with one parameter whose layout codegen/cuda/cuda_arguments.h
// gives. Blocks have as many threads as it says.
// Throws CompileError when a step has no loop for its types.
CudaCode cuda_code(const KernelPlan& plan);
// The same without the device headers.
std::string cuda_plan_text(const KernelPlan& plan);

}  // namespace cupola
