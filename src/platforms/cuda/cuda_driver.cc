// Devices, memory, streams, events and kernels. Copies are in cuda_copy.cc.
#include "platforms/cuda/cuda_driver.h"

#include <fmt/format.h>

#include "cupola/error.h"
#include "platforms/cuda/context.h"
#include "platforms/cuda/cublas.h"
#include "platforms/cuda/cuda_api.h"
#include "platforms/cuda/cuda_kernel.h"
#include "platforms/cuda/cuda_stream.h"
#include "platforms/cuda/discovery.h"

namespace cupola::cuda {
namespace {

std::string_view name_of_kind(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::device:
      return "device";
    case MemoryKind::pinned:
      return "pinned host";
    case MemoryKind::managed:
      return "managed";
  }
  __builtin_unreachable();
}

CUresult allocate_kind(CUdeviceptr& data, std::size_t bytes, MemoryKind kind) {
  // Atomic operations on small elements reach for the aligned word around them.
  bytes = (bytes + 15) / 16 * 16;
  const CudaApi& api = cuda_api();
  switch (kind) {
    case MemoryKind::device:
      return api.cuMemAlloc(&data, bytes);
    case MemoryKind::managed:
      return api.cuMemAllocManaged(&data, bytes, CU_MEM_ATTACH_GLOBAL);
    case MemoryKind::pinned: {
      void* host = nullptr;
      const CUresult result = api.cuMemHostAlloc(&host, bytes, CU_MEMHOSTALLOC_PORTABLE);
      data = reinterpret_cast<CUdeviceptr>(host);
      return result;
    }
  }
  __builtin_unreachable();
}

bool is_done(CUresult result, const char* call, int device) {
  if (result == CUDA_ERROR_NOT_READY) return false;
  check_cuda(result, call, device);
  return true;
}

}  // namespace

int CudaDriver::device_count() { return static_cast<int>(visible_devices()->size()); }

DeviceProperties CudaDriver::properties(int device) { return found_device(device).properties; }

MemoryInfo CudaDriver::memory_info(int device) { return nvml_memory(found_device(device)); }

void* CudaDriver::allocate(int device, std::size_t bytes, MemoryKind kind) {
  const ContextGuard guard(device_context(device));
  CUdeviceptr data = 0;
  const CUresult result = allocate_kind(data, bytes, kind);
  if (result == CUDA_ERROR_OUT_OF_MEMORY) {
    const MemoryInfo info = memory_info(device);
    throw OutOfMemoryError(
        fmt::format("cuda:{}: {} bytes of {} memory were asked for; {} of {} bytes are free on the "
                    "device",
                    device, bytes, name_of_kind(kind), info.free, info.total));
  }
  check_cuda(result, "memory allocation", device);
  return reinterpret_cast<void*>(data);
}

void CudaDriver::deallocate(int device, void* pointer, std::size_t, MemoryKind kind) noexcept {
  try {
    const ContextGuard guard(device_context(device));
    if (kind == MemoryKind::pinned) {
      cuda_api().cuMemFreeHost(pointer);
    } else {
      cuda_api().cuMemFree(reinterpret_cast<CUdeviceptr>(pointer));
    }
  } catch (const Error&) {
    // The context is gone, and the memory with it.
  }
}

StreamHandle CudaDriver::create_stream(int device) {
  const DeviceContext& context = device_context(device);
  const ContextGuard guard(context);
  CUstream handle = nullptr;
  CUPOLA_CUDA(device, cuStreamCreate, &handle, CU_STREAM_NON_BLOCKING);
  auto* stream = new CudaStream;
  stream->context = &context;
  stream->handle = handle;
  return to_handle(stream);
}

void CudaDriver::destroy_stream(StreamHandle handle) noexcept {
  CudaStream& stream = from_handle(handle);
  try {
    const ContextGuard guard(*stream.context);
    release_scratch(stream);
    cuda_api().cuStreamDestroy(stream.handle);
  } catch (const Error&) {
    // As above.
  }
  delete &stream;
}

void CudaDriver::synchronize(StreamHandle handle) {
  const CudaStream& stream = from_handle(handle);
  CUPOLA_CUDA(stream.context->index, cuStreamSynchronize, stream.handle);
}

bool CudaDriver::is_idle(StreamHandle handle) {
  const CudaStream& stream = from_handle(handle);
  return is_done(cuda_api().cuStreamQuery(stream.handle), "cuStreamQuery", stream.context->index);
}

EventHandle CudaDriver::create_event(int device) {
  const DeviceContext& context = device_context(device);
  const ContextGuard guard(context);
  CUevent handle = nullptr;
  CUPOLA_CUDA(device, cuEventCreate, &handle, CU_EVENT_DISABLE_TIMING);
  return to_handle(new CudaEvent{&context, handle});
}

void CudaDriver::destroy_event(EventHandle handle) noexcept {
  CudaEvent& event = from_handle(handle);
  cuda_api().cuEventDestroy(event.handle);
  delete &event;
}

void CudaDriver::record(EventHandle event, StreamHandle stream) {
  const CudaStream& queue = from_handle(stream);
  CUPOLA_CUDA(queue.context->index, cuEventRecord, from_handle(event).handle, queue.handle);
}

void CudaDriver::wait(StreamHandle stream, EventHandle event) {
  const CudaStream& queue = from_handle(stream);
  CUPOLA_CUDA(queue.context->index, cuStreamWaitEvent, queue.handle, from_handle(event).handle,
              CU_EVENT_WAIT_DEFAULT);
}

bool CudaDriver::is_complete(EventHandle handle) {
  const CudaEvent& event = from_handle(handle);
  return is_done(cuda_api().cuEventQuery(event.handle), "cuEventQuery", event.context->index);
}

void CudaDriver::synchronize(EventHandle handle) {
  const CudaEvent& event = from_handle(handle);
  CUPOLA_CUDA(event.context->index, cuEventSynchronize, event.handle);
}

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
