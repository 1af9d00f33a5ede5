// Copies and fills of the CUDA platform.
#include <array>
#include <cstdint>
#include <cstring>

#include "base/process/interrupt.h"
#include "base/threads/thread_owned.h"
#include "platforms/cuda/device/context.h"
#include "platforms/cuda/device/cuda_api.h"
#include "platforms/cuda/device/cuda_driver.h"
#include "platforms/cuda/streams/cuda_stream.h"

namespace cupola::cuda {
namespace {

constexpr std::size_t kBounceBytes = std::size_t{64} << 10;
constexpr std::size_t kUnaskedBytes = std::size_t{8} << 10;

// Whether CUDA may still read the host memory after an asynchronous copy from it has returned:
// always for pinned and managed memory; pageable memory it stages first, on most devices.
bool is_read_later(const void* source, const DeviceContext& context) {
  if (context.reads_pageable_memory) return true;
  unsigned int type = 0;  // stays 0 for memory that CUDA does not know
  CUpointer_attribute attribute = CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
  void* values[] = {&type};
  cuda_api().cuPointerGetAttributes(1, &attribute, values, device_address(source));
  return type != 0;
}

}  // namespace

void CudaDriver::copy_from_host(void* target, const void* source, std::size_t bytes,
                                StreamHandle handle) {
  if (bytes == 0) return;
  const CudaStream& stream = for_work(handle);
  check_not_capturing(stream, "to copy from host memory that is read at the call");
  const ContextGuard guard(*stream.context);
  const int device = stream.context->index;
  const bool bounces = bytes <= kBounceBytes && !stream.context->reads_pageable_memory;
  // To copy little costs less than to ask what memory it is.
  const bool read_later =
      (bounces && bytes <= kUnaskedBytes) || is_read_later(source, *stream.context);
  if (read_later && bounces) {
    // CUDA takes a small pageable source at once, whatever the stream waits for.
    struct Bounce {
      std::array<char, kBounceBytes> bytes;
    };
    auto& bounce = ThreadOwned<Bounce>::get().bytes;
    std::memcpy(bounce.data(), source, bytes);
    CUPOLA_CUDA(device, cuMemcpyHtoDAsync, device_address(target), bounce.data(), bytes,
                stream.handle);
    return;
  }
  CUPOLA_CUDA(device, cuMemcpyHtoDAsync, device_address(target), source, bytes, stream.handle);
  if (read_later) CUPOLA_CUDA(device, cuStreamSynchronize, stream.handle);
}

void CudaDriver::copy_to_host(void* target, const void* source, std::size_t bytes,
                              StreamHandle handle) {
  if (bytes == 0) return;
  const CudaStream& stream = for_work(handle);
  check_not_capturing(stream, "to copy to the host and wait for it");
  if (is_interruptible()) wait_for_work(stream);  // the copy writes to the target until it is done
  const ContextGuard guard(*stream.context);
  const int device = stream.context->index;
  CUPOLA_CUDA(device, cuMemcpyDtoHAsync, target, device_address(source), bytes, stream.handle);
  CUPOLA_CUDA(device, cuStreamSynchronize, stream.handle);
}

void CudaDriver::copy(void* target, int target_device, const void* source, int source_device,
                      std::size_t bytes, StreamHandle handle) {
  if (bytes == 0) return;
  const CudaStream& stream = for_work(handle);
  const ContextGuard guard(*stream.context);
  const int device = stream.context->index;
  if (target_device == source_device) {
    CUPOLA_CUDA(device, cuMemcpyDtoDAsync, device_address(target), device_address(source), bytes,
                stream.handle);
    return;
  }
  CUPOLA_CUDA(device, cuMemcpyPeerAsync, device_address(target),
              device_context(target_device).context, device_address(source),
              device_context(source_device).context, bytes, stream.handle);
}

void CudaDriver::fill_bytes(void* target, std::uint8_t value, std::size_t bytes,
                            StreamHandle handle) {
  if (bytes == 0) return;
  const CudaStream& stream = for_work(handle);
  const ContextGuard guard(*stream.context);
  CUPOLA_CUDA(stream.context->index, cuMemsetD8Async, device_address(target), value, bytes,
              stream.handle);
}

}  // namespace cupola::cuda
