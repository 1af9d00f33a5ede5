#pragma once
// CUDA's virtual memory management: physical memory of devices, and ranges of addresses with such
// memory behind them.

#include <cuda.h>

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "platforms/cuda/device/cuda_api.h"

namespace cupola::cuda {

CUmemAllocationProp properties_on(
    CUdevice device, CUmemAllocationHandleType handles = CU_MEM_HANDLE_TYPE_NONE) noexcept;

// What such memory is made of, in bytes. `index` is our number of the device.
std::size_t granularity(int index, const CUmemAllocationProp& properties);

// A reference to physical memory, for as long as it lives. Mappings keep the memory as well.
class Physical {
 public:
  explicit Physical(CUmemGenericAllocationHandle handle) : api_(&cuda_api()), handle_(handle) {}
  // New memory; `bytes` is a multiple of the granularity. Throws OutOfMemoryError, which calls it
  // `what` ("shared device memory").
  Physical(int index, const CUmemAllocationProp& properties, std::size_t bytes,
           std::string_view what);
  ~Physical();
  Physical(Physical&& other) noexcept;
  Physical& operator=(Physical&&) = delete;
  CUmemGenericAllocationHandle handle() const { return handle_; }

 private:
  const CudaApi* api_;  // null: moved from
  CUmemGenericAllocationHandle handle_ = 0;
};

// Addresses, and what is mapped there. All that was done here is undone in reverse order when this
// goes, unless release() was called.
class AddressRange {
 public:
  // At multiples of `alignment`, a power of two, or where the driver likes (0).
  AddressRange(int index, std::size_t bytes, std::size_t alignment);
  // One that was released, with nothing mapped there; it stays reserved.
  AddressRange(CUdeviceptr address, std::size_t bytes);
  ~AddressRange();
  AddressRange(const AddressRange&) = delete;
  AddressRange& operator=(const AddressRange&) = delete;

  // Behind what is mapped so far.
  void map(int index, const Physical& memory, std::size_t bytes);
  // For kernels and copies of these devices.
  void allow(int index, std::span<const CUdevice> devices);
  CUdeviceptr release() noexcept;

 private:
  const CudaApi& api_;
  CUdeviceptr address_ = 0;
  const std::size_t bytes_;
  const bool is_reserved_here_;
  std::vector<std::size_t> mapped_;  // bytes of each
};

// Undo a range that was released: what was mapped there, by its bytes, and then the addresses.
// Nothing where CUDA is out of reach.
void unmap_range(CUdeviceptr address, std::span<const std::size_t> mapped) noexcept;
void release_range(CUdeviceptr address, std::size_t bytes) noexcept;

}  // namespace cupola::cuda
