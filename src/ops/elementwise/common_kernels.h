#pragma once
// The kernels that most programs use: what arithmetic, comparisons, casts and sums on the common
// dtypes need. They are compiled ahead: into the package when it is built, or into a user's cache.

#include <vector>

#include "codegen/plan.h"
#include "driver/module.h"

namespace cupola {

// The plans of a list of operations, in its order, each once. Runs them on the CPU.
std::vector<KernelPlan> common_plans();

// Compiles their kernels for an architecture (90: compute capability 9.0), or finds them compiled;
// afterwards they are in the user's cache, where there is one. Several at a time. Throws
// LibraryError without the CUDA plugin or its compiler, CompileError for an architecture that the
// compiler does not know.
std::vector<CompiledKernel> compile_common_kernels(int architecture);

}  // namespace cupola
