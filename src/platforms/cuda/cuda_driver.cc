// Devices and kernels. Memory is in cuda_memory.cc, copies are in cuda_copy.cc, streams and events
// in cuda_streams.cc.
#include "platforms/cuda/cuda_driver.h"

#include "cupola/error.h"
#include "platforms/cuda/context.h"
#include "platforms/cuda/cublas.h"
#include "platforms/cuda/cuda_api.h"
#include "platforms/cuda/cuda_kernel.h"
#include "platforms/cuda/cuda_stream.h"
#include "platforms/cuda/discovery.h"

namespace cupola::cuda {

int CudaDriver::device_count() { return static_cast<int>(visible_devices()->size()); }

DeviceProperties CudaDriver::properties(int device) { return found_device(device).properties; }

MemoryInfo CudaDriver::memory_info(int device) { return nvml_memory(found_device(device)); }

std::shared_ptr<Kernel> CudaDriver::build(const KernelCode& code, int device) {
  const std::shared_ptr<CudaKernel> kernel = find_kernel(code);
  kernel->compile_ahead(device_architecture(device));
  return kernel;
}

void CudaDriver::launch(const std::shared_ptr<Kernel>& kernel, const LaunchArguments& arguments,
                        StreamHandle stream) {
  static_cast<CudaKernel&>(*kernel).launch(arguments, from_handle(stream));
}

void CudaDriver::matmul(const MatmulProblem& problem, StreamHandle stream) {
  cublas_matmul(problem, from_handle(stream));
}

}  // namespace cupola::cuda
