// Device memory that processes share: physical blocks of CUDA's virtual memory management, which
// file descriptors name and the driver counts.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <span>

#include "cupola/error.h"
#include "platforms/cuda/device/context.h"
#include "platforms/cuda/device/cuda_api.h"
#include "platforms/cuda/device/cuda_driver.h"
#include "platforms/cuda/memory/mapped_memory.h"

namespace cupola::cuda {
namespace {

constexpr CUmemAllocationHandleType kDescriptorType = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

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

std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return bytes > SIZE_MAX - unit ? SIZE_MAX / unit * unit : (bytes + unit - 1) / unit * unit;
}

// Usable by the device.
void* map_on(const DeviceContext& context, const Physical& memory, std::size_t bytes) {
  AddressRange range(context.index, bytes, 0);
  range.map(context.index, memory, bytes);
  range.allow(context.index, std::span(&context.device, 1));
  return reinterpret_cast<void*>(range.release());
}

}  // namespace

SharedMemory CudaDriver::create_shared(int device, std::size_t bytes) {
  const DeviceContext& context = device_context(device);
  const ContextGuard guard(context);
  check_support(context);
  const CUmemAllocationProp properties = properties_on(context.device, kDescriptorType);
  const std::size_t size = round_up(bytes, granularity(device, properties));
  const Physical memory(device, properties, size, "shared device memory");
  int descriptor = -1;
  CUPOLA_CUDA(device, cuMemExportToShareableHandle, &descriptor, memory.handle(), kDescriptorType,
              0);
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  try {
    return {map_on(context, memory, size), size, descriptor};
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
  return {map_on(context, memory, bytes), bytes, descriptor};
}

void CudaDriver::unmap_shared(int device, const SharedMemory& memory) noexcept {
  close(memory.descriptor);
  try {
    const ContextGuard guard(device_context(device));
    const auto address = device_address(memory.pointer);
    unmap_range(address, std::span(&memory.bytes, 1));
    release_range(address, memory.bytes);
  } catch (const Error&) {
    // The context is gone, and the memory with it.
  }
}

}  // namespace cupola::cuda
