#pragma once
// Factorisations through cuSOLVER, opened on first use.

#include "driver/driver.h"
#include "platforms/cuda/streams/cuda_stream.h"

namespace cupola::cuda {

// Asynchronous; the matrices of a stack one after the other, small ones together where that can be.
// Throws LibraryError without cuSOLVER, DeviceError when it fails, OutOfMemoryError.
void cusolver_factor(const FactorProblem& problem, CudaStream& stream);

}  // namespace cupola::cuda
