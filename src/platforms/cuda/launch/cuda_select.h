#pragma once
// Selection of elements by their rank: kernels of codegen/cuda/select_text.h.

#include <vector>

#include "driver/module.h"
#include "driver/select_problem.h"
#include "platforms/cuda/streams/cuda_stream.h"

namespace cupola::cuda {

// Asynchronous. Elements of a row are neighbours. Compiles and loads the kernels first where they
// are not loaded yet.
void run_select(const SelectProblem& problem, CudaStream& stream);

// The kernels of dtypes that are selected from most, for the package.
std::vector<CompiledKernel> compile_select_kernels(int architecture);

}  // namespace cupola::cuda
