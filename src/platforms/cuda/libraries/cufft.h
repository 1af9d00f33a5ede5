#pragma once
// Fourier transforms through cuFFT, opened on first use.

#include "driver/fft_problem.h"
#include "platforms/cuda/streams/cuda_stream.h"

namespace cupola::cuda {

// Asynchronous. Throws LibraryError without cuFFT, DeviceError when it fails.
void cufft_transform(const FftProblem& problem, CudaStream& stream);

// Whether it transforms the columns of these matrices sooner than their transposes.
bool takes_columns(const FftProblem& problem);

}  // namespace cupola::cuda
