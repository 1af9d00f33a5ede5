// Memory of the CUDA platform: blocks of each kind, host memory of others, pointers.
#include <fmt/format.h>

#include <map>
#include <mutex>
#include <string_view>

#include "base/threads/lazy.h"
#include "cupola/error.h"
#include "platforms/cuda/device/context.h"
#include "platforms/cuda/device/cuda_api.h"
#include "platforms/cuda/device/cuda_driver.h"
#include "platforms/cuda/device/discovery.h"
#include "platforms/cuda/streams/cuda_stream.h"

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

// Atomic operations on small elements reach for the aligned word around them.
std::size_t padded(std::size_t bytes) {
  return bytes > SIZE_MAX - 15 ? bytes : (bytes + 15) / 16 * 16;
}

CUresult allocate_kind(CUdeviceptr& data, std::size_t bytes, MemoryKind kind) {
  bytes = padded(bytes);
  const CudaApi& api = cuda_api();
  switch (kind) {
    case MemoryKind::device:
      return api.cuMemAlloc(&data, bytes);
    case MemoryKind::managed:
      return api.cuMemAllocManaged(&data, bytes, CU_MEM_ATTACH_GLOBAL);
    case MemoryKind::pinned: {
      void* host = nullptr;
      const CUresult result = api.cuMemHostAlloc(&host, bytes, CU_MEMHOSTALLOC_PORTABLE);
      data = device_address(host);
      return result;
    }
  }
  __builtin_unreachable();
}

void check_allocation(CUresult result, std::size_t bytes, std::string_view kind, int device) {
  if (result == CUDA_SUCCESS) [[likely]]
    return;
  const MemoryInfo info = nvml_memory(found_device(device));
  // Absurd sizes are invalid arguments to some calls.
  if (result != CUDA_ERROR_OUT_OF_MEMORY && bytes <= info.total) {
    throw_cuda_error(result, "memory allocation", device);
  }
  throw OutOfMemoryError(
      fmt::format("cuda:{}: {} bytes of {} memory were asked for; {} of {} bytes are free on the "
                  "device",
                  device, bytes, kind, info.free, info.total));
}

// Host memory that pin_host pinned, with the device whose context did it.
struct PinnedRanges {
  std::mutex mutex;
  std::map<const void*, int> devices;
};
PinnedRanges& pinned_ranges() {
  static constinit Lazy<PinnedRanges> ranges;
  return *ranges;
}

CUmemLocation location_of(int device) {
  CUmemLocation location{};
  if (device == kHostLocation) {
    location.type = CU_MEM_LOCATION_TYPE_HOST;
  } else {
    location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    location.id = device_context(device).device;
  }
  return location;
}

CUmem_advise advice_of(MemoryAdvice advice) {
  switch (advice) {
    case MemoryAdvice::read_mostly:
      return CU_MEM_ADVISE_SET_READ_MOSTLY;
    case MemoryAdvice::unset_read_mostly:
      return CU_MEM_ADVISE_UNSET_READ_MOSTLY;
    case MemoryAdvice::preferred_location:
      return CU_MEM_ADVISE_SET_PREFERRED_LOCATION;
    case MemoryAdvice::unset_preferred_location:
      return CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION;
    case MemoryAdvice::accessed_by:
      return CU_MEM_ADVISE_SET_ACCESSED_BY;
    case MemoryAdvice::unset_accessed_by:
      return CU_MEM_ADVISE_UNSET_ACCESSED_BY;
  }
  __builtin_unreachable();
}

// CUDA's number of a device is not ours.
int index_of_ordinal(int ordinal) {
  CUdevice device = 0;
  CUuuid uuid{};
  if (cuda_api().cuDeviceGet(&device, ordinal) != CUDA_SUCCESS ||
      cuda_api().cuDeviceGetUuid(&uuid, device) != CUDA_SUCCESS) {
    return -1;
  }
  const std::string text = uuid_text(uuid);
  const auto devices = visible_devices();
  for (std::size_t i = 0; i < devices->size(); ++i) {
    if ((*devices)[i].properties.uuid == text) return static_cast<int>(i);
  }
  return ordinal < static_cast<int>(devices->size()) ? ordinal : -1;  // a part of a GPU
}

}  // namespace

void* CudaDriver::allocate(int device, std::size_t bytes, MemoryKind kind) {
  const ContextGuard guard(device_context(device));
  CUdeviceptr data = 0;
  const CUresult result = allocate_kind(data, bytes, kind);
  check_allocation(result, bytes, name_of_kind(kind), device);
  return reinterpret_cast<void*>(data);
}

void CudaDriver::deallocate(int device, void* pointer, std::size_t, MemoryKind kind) noexcept {
  try {
    const ContextGuard guard(device_context(device));
    if (kind == MemoryKind::pinned) {
      cuda_api().cuMemFreeHost(pointer);
    } else {
      cuda_api().cuMemFree(device_address(pointer));
    }
  } catch (const Error&) {
    // The context is gone, and the memory with it.
  }
}

namespace {

// Not as a part of the graph, whose memory nothing else could use: on a stream of its own.
void* allocate_beside_capture(const DeviceContext& context, std::size_t bytes) {
  CUstream beside = nullptr;
  CUPOLA_CUDA(context.index, cuStreamCreateWithPriority, &beside, CU_STREAM_NON_BLOCKING, 0);
  CUdeviceptr data = 0;
  const CUresult result =
      cuda_api().cuMemAllocFromPoolAsync(&data, padded(bytes), context.pool, beside);
  const CUresult waited = cuda_api().cuStreamSynchronize(beside);
  cuda_api().cuStreamDestroy(beside);
  check_allocation(result, bytes, "stream-ordered device", context.index);
  check_cuda(waited, "cuStreamSynchronize", context.index);
  return reinterpret_cast<void*>(data);
}

}  // namespace

void* CudaDriver::allocate_async(std::size_t bytes, StreamHandle handle) {
  const CudaStream& stream = for_work(handle);
  const ContextGuard guard(*stream.context);
  CUdeviceptr data = 0;
  if (stream.capture()) return allocate_beside_capture(*stream.context, bytes);
  const CUresult result =
      cuda_api().cuMemAllocFromPoolAsync(&data, padded(bytes), stream.context->pool, stream.handle);
  check_allocation(result, bytes, "stream-ordered device", stream.context->index);
  return reinterpret_cast<void*>(data);
}

void CudaDriver::deallocate_async(void* pointer, std::size_t, StreamHandle handle) noexcept {
  const CudaStream& stream = for_work(handle);
  try {
    if (const auto capture = stream.capture())
      return capture->free_afterwards(device_address(pointer));
    const ContextGuard guard(*stream.context);
    cuda_api().cuMemFreeAsync(device_address(pointer), stream.handle);
  } catch (const Error&) {
    // As above.
  }
}

void CudaDriver::trim_async(int device) {
  const DeviceContext& context = device_context(device);
  const ContextGuard guard(context);
  CUPOLA_CUDA(device, cuMemPoolTrimTo, context.pool, 0);
}

void CudaDriver::pin_host(int device, void* pointer, std::size_t bytes) {
  const ContextGuard guard(device_context(device));
  const CUresult result = cuda_api().cuMemHostRegister(pointer, bytes, CU_MEMHOSTREGISTER_PORTABLE);
  if (result == CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED) {
    throw ValueError(fmt::format("a part of the {} bytes at {} is pinned already", bytes, pointer));
  }
  check_cuda(result, "cuMemHostRegister", device);
  const std::lock_guard lock(pinned_ranges().mutex);
  pinned_ranges().devices[pointer] = device;
}

void CudaDriver::unpin_host(void* pointer) noexcept {
  int device = 0;
  {
    const std::lock_guard lock(pinned_ranges().mutex);
    const auto found = pinned_ranges().devices.find(pointer);
    if (found == pinned_ranges().devices.end()) return;
    device = found->second;
    pinned_ranges().devices.erase(found);
  }
  try {
    const ContextGuard guard(device_context(device));
    cuda_api().cuMemHostUnregister(pointer);
  } catch (const Error&) {
    // As above.
  }
}

PointerInfo CudaDriver::describe(const void* pointer) {
  if (cuda_is_out_of_reach()) return {};
  unsigned int type = 0;  // all stay 0 for memory that CUDA does not know
  unsigned int managed = 0;
  int ordinal = 0;
  CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                      CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                      CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
  void* values[] = {&type, &managed, &ordinal};
  // Fails before anybody has initialised CUDA: then it cannot know the memory either.
  if (cuda_api().cuPointerGetAttributes(3, attributes, values, device_address(pointer)) !=
          CUDA_SUCCESS ||
      type == 0) {
    return {};
  }
  if (managed != 0) return {PointerKind::managed, index_of_ordinal(ordinal)};
  if (type == CU_MEMORYTYPE_HOST) return {PointerKind::pinned, -1};
  return {PointerKind::device, index_of_ordinal(ordinal)};
}

void CudaDriver::advise(void* pointer, std::size_t bytes, MemoryAdvice advice, int device) {
  const PointerInfo info = describe(pointer);
  if (info.kind != PointerKind::managed) {
    throw ValueError(fmt::format("{} is not managed memory; only that takes advice", pointer));
  }
  const ContextGuard guard(device_context(info.device < 0 ? 0 : info.device));
  CUPOLA_CUDA(device, cuMemAdvise, device_address(pointer), bytes, advice_of(advice),
              location_of(device));
}

void CudaDriver::prefetch(void* pointer, std::size_t bytes, int device, StreamHandle handle) {
  const CudaStream& stream = for_work(handle);
  if (describe(pointer).kind != PointerKind::managed) {
    throw ValueError(fmt::format("{} is not managed memory; only that is prefetched", pointer));
  }
  const ContextGuard guard(*stream.context);
  CUPOLA_CUDA(stream.context->index, cuMemPrefetchAsync, device_address(pointer), bytes,
              location_of(device), 0, stream.handle);
}

}  // namespace cupola::cuda
