#pragma once
// Copies from pinned memory by a kernel instead of the copy engine. Where many streams copy and
// compute in turn, the engine stands still between the copy of one and the copy of the next, and
// every kernel waits for it: 30,000 copies of 1 MiB a second on an H200, and 44,000 by kernels.

#include <cuda.h>

#include <cstddef>
#include <string>

#include "platforms/cuda/device/context.h"
#include "platforms/cuda/streams/cuda_stream.h"

namespace cupola::cuda {

// CUDA C++ of the kernel.
const std::string& copy_kernel_text();
// As the package has it compiled; null: it does not, and the engine copies. The context must be
// current.
CUfunction load_copy_kernel(const DeviceContext& context);

// False, and nothing done: the engine is to copy. For a stream that does nothing but copy it works
// beside what others compute, which a kernel has to wait for.
bool try_kernel_copy(void* target, const void* source, std::size_t bytes, CudaStream& stream);

}  // namespace cupola::cuda
