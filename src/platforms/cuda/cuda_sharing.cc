// Device memory that processes share: physical blocks of CUDA's virtual memory management, which
// file descriptors name and the driver counts.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>

#include "cupola/error.h"
#include "platforms/cuda/context.h"
#include "platforms/cuda/cuda_api.h"
#include "platforms/cuda/cuda_driver.h"
#include "platforms/cuda/discovery.h"

namespace cupola::cuda {
namespace {

constexpr CUmemAllocationHandleType kDescriptorType = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

CUmemAllocationProp properties_on(const DeviceContext& context) {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.requestedHandleTypes = kDescriptorType;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = context.device;
  return properties;
}

void check_support(const DeviceContext& context) {
  int supported = 0;
  CUPOLA_CUDA(context.index, cuDeviceGetAttribute, &supported,
              CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, context.device);
  if (!supported) {
    throw LibraryError(
        fmt::format("cuda:{} cannot share memory with other processes by file descriptors; copy "
                    "arrays to the host to send them",
                    context.index));
  }
}

// A reference to physical memory, for as long as it lives.
class Physical {
 public:
  explicit Physical(CUmemGenericAllocationHandle handle) : handle_(handle) {}
  ~Physical() { cuda_api().cuMemRelease(handle_); }
  Physical(const Physical&) = delete;
  Physical& operator=(const Physical&) = delete;
  CUmemGenericAllocationHandle handle() const { return handle_; }

 private:
  CUmemGenericAllocationHandle handle_;
};

CUmemGenericAllocationHandle create_physical(const DeviceContext& context, std::size_t bytes) {
  const CUmemAllocationProp properties = properties_on(context);
  CUmemGenericAllocationHandle handle = 0;
  const CUresult result = cuda_api().cuMemCreate(&handle, bytes, &properties, 0);
  const FoundDevice device = found_device(context.index);
  const bool is_too_large =
      result != CUDA_SUCCESS && bytes > device.properties.total_memory;  // an invalid value as well
  if (result == CUDA_ERROR_OUT_OF_MEMORY || is_too_large) {
    const MemoryInfo info = nvml_memory(device);
    throw OutOfMemoryError(
        fmt::format("cuda:{}: {} bytes of shared device memory were asked for; {} of {} bytes are "
                    "free on the device",
                    context.index, bytes, info.free, info.total));
  }
  check_cuda(result, "cuMemCreate", context.index);
  return handle;
}

std::size_t round_to_granularity(const DeviceContext& context, std::size_t bytes) {
  const CUmemAllocationProp properties = properties_on(context);
  std::size_t unit = 0;
  CUPOLA_CUDA(context.index, cuMemGetAllocationGranularity, &unit, &properties,
              CU_MEM_ALLOC_GRANULARITY_MINIMUM);
  return bytes > SIZE_MAX - unit ? SIZE_MAX / unit * unit : (bytes + unit - 1) / unit * unit;
}

// An address range with the memory behind it, usable by the device. Undone where a step fails.
CUdeviceptr map(const DeviceContext& context, const Physical& memory, std::size_t bytes) {
  const CudaApi& api = cuda_api();
  CUdeviceptr address = 0;
  CUPOLA_CUDA(context.index, cuMemAddressReserve, &address, bytes, 0, 0, 0);
  CUresult result = api.cuMemMap(address, bytes, 0, memory.handle(), 0);
  if (result != CUDA_SUCCESS) {
    api.cuMemAddressFree(address, bytes);
    throw_cuda_error(result, "cuMemMap", context.index);
  }
  CUmemAccessDesc access{};
  access.location = properties_on(context).location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  result = api.cuMemSetAccess(address, bytes, &access, 1);
  if (result != CUDA_SUCCESS) {
    api.cuMemUnmap(address, bytes);
    api.cuMemAddressFree(address, bytes);
    throw_cuda_error(result, "cuMemSetAccess", context.index);
  }
  return address;
}

}  // namespace

SharedMemory CudaDriver::create_shared(int device, std::size_t bytes) {
  const DeviceContext& context = device_context(device);
  const ContextGuard guard(context);
  check_support(context);
  const std::size_t size = round_to_granularity(context, bytes);
  const Physical memory(create_physical(context, size));
  int descriptor = -1;
  CUPOLA_CUDA(device, cuMemExportToShareableHandle, &descriptor, memory.handle(), kDescriptorType,
              0);
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  try {
    return {reinterpret_cast<void*>(map(context, memory, size)), size, descriptor};
  } catch (...) {
    close(descriptor);
    throw;
  }
}

SharedMemory CudaDriver::map_shared(int device, int descriptor, std::size_t bytes) {
  const DeviceContext& context = device_context(device);
  const ContextGuard guard(context);
  CUmemGenericAllocationHandle handle = 0;
  void* name = reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor));
  const CUresult result = cuda_api().cuMemImportFromShareableHandle(&handle, name, kDescriptorType);
  if (result != CUDA_SUCCESS) {
    throw ValueError(fmt::format(
        "descriptor {} is not shared memory of {} bytes of a CUDA device: {}", descriptor, bytes,
        cuda_message(result, "cuMemImportFromShareableHandle", device)));
  }
  const Physical memory(handle);
  return {reinterpret_cast<void*>(map(context, memory, bytes)), bytes, descriptor};
}

void CudaDriver::unmap_shared(int device, const SharedMemory& memory) noexcept {
  close(memory.descriptor);
  try {
    const ContextGuard guard(device_context(device));
    const auto address = reinterpret_cast<CUdeviceptr>(memory.pointer);
    cuda_api().cuMemUnmap(address, memory.bytes);
    cuda_api().cuMemAddressFree(address, memory.bytes);
  } catch (const Error&) {
    // The context is gone, and the memory with it.
  }
}

}  // namespace cupola::cuda
