// Copies between host memory and the devices that do not wait for their turn.

#include "platforms/cuda/device/context.h"
#include "platforms/cuda/device/cuda_api.h"
#include "platforms/cuda/device/cuda_driver.h"
#include "platforms/cuda/memory/host_copies.h"
#include "platforms/cuda/streams/cuda_stream.h"

namespace cupola::cuda {

void CudaDriver::copy_from_host_async(void* target, const void* source, std::size_t bytes,
                                      StreamHandle handle) {
  if (bytes == 0) return;
  const CudaStream& stream = for_work(handle);
  const ContextGuard guard(*stream.context);
  CUPOLA_CUDA(stream.context->index, cuMemcpyHtoDAsync, device_address(target), source, bytes,
              stream.handle);
}

void CudaDriver::copy_from_pinned_async(void* target, const void* source, std::size_t bytes,
                                        StreamHandle handle) {
  if (try_kernel_copy(target, source, bytes, for_work(handle))) return;
  copy_from_host_async(target, source, bytes, handle);
}

void CudaDriver::copy_to_host_async(void* target, const void* source, std::size_t bytes,
                                    StreamHandle handle) {
  if (bytes == 0) return;
  const CudaStream& stream = for_work(handle);
  const ContextGuard guard(*stream.context);
  CUPOLA_CUDA(stream.context->index, cuMemcpyDtoHAsync, target, device_address(source), bytes,
              stream.handle);
}

void CudaDriver::copy_to_caller(void* target, const void* source, std::size_t bytes,
                                StreamHandle handle) {
  if (bytes > 0) check_not_capturing(from_handle(handle), "to copy to a caller that waits");
  copy_to_host_async(target, source, bytes, handle);
}

}  // namespace cupola::cuda
