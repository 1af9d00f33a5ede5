#pragma once
// Matrix products through cuBLAS, opened on first use.

#include "driver/driver.h"
#include "platforms/cuda/streams/cuda_stream.h"

namespace cupola::cuda {

// Asynchronous. float32 is computed in float32, 16-bit floats with float32 sums.
// Throws LibraryError without cuBLAS, DeviceError when it fails.
void cublas_matmul(const MatmulProblem& problem, CudaStream& stream);

}  // namespace cupola::cuda
