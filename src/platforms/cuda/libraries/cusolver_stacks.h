#pragma once
// Stacks of matrices so small that one at a time would leave most of the device idle.

#include "driver/driver.h"
#include "platforms/cuda/streams/cuda_stream.h"

namespace cupola::cuda {

// Whether there are functions for all of its matrices at once, and they are worth it.
bool is_small_stack(const FactorProblem& problem);
// Of such a stack; as cusolver_factor(). The context must be current.
void factor_small_stack(const FactorProblem& problem, CudaStream& stream);

}  // namespace cupola::cuda
