#include "platforms/cuda/memory/mapped_memory.h"

#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "base/mutant.h"
#include "cupola/error.h"
#include "platforms/cuda/device/discovery.h"

namespace cupola::cuda {
namespace {

void check_memory(CUresult result, const char* call, int index, std::size_t bytes,
                  std::string_view what) {
  if (result == CUDA_SUCCESS) return;
  const FoundDevice device = found_device(index);
  // Absurd sizes are invalid values.
  if (result != CUDA_ERROR_OUT_OF_MEMORY && bytes <= device.properties.total_memory) {
    throw_cuda_error(result, call, index);
  }
  const MemoryInfo info = nvml_memory(device);
  throw OutOfMemoryError(
      fmt::format("cuda:{}: {} bytes of {} were asked for; {} of {} bytes are free on the device",
                  index, bytes, what, info.free, info.total));
}

void unmap(const CudaApi& api, CUdeviceptr address, std::span<const std::size_t> mapped) noexcept {
  CUdeviceptr end = address + std::accumulate(mapped.begin(), mapped.end(), std::size_t{0});
  for (std::size_t i = mapped.size(); i-- > 0;) {
    end -= mapped[i];
    api.cuMemUnmap(end, mapped[i]);
  }
}

}  // namespace

CUmemAllocationProp properties_on(CUdevice device, CUmemAllocationHandleType handles) noexcept {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.requestedHandleTypes = handles;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = device;
  return properties;
}

std::size_t granularity(int index, const CUmemAllocationProp& properties) {
  std::size_t unit = 0;
  CUPOLA_CUDA(index, cuMemGetAllocationGranularity, &unit, &properties,
              CU_MEM_ALLOC_GRANULARITY_MINIMUM);
  return unit;
}

Physical::Physical(int index, const CUmemAllocationProp& properties, std::size_t bytes,
                   std::string_view what)
    : api_(&cuda_api()) {
  check_memory(api_->cuMemCreate(&handle_, bytes, &properties, 0), "cuMemCreate", index, bytes,
               what);
}

Physical::~Physical() {
  if (CUPOLA_MUTANT(keep_mapped_memory)) return;
  if (api_) api_->cuMemRelease(handle_);
}

Physical::Physical(Physical&& other) noexcept
    : api_(std::exchange(other.api_, nullptr)), handle_(other.handle_) {}

AddressRange::AddressRange(int index, std::size_t bytes, std::size_t alignment)
    : api_(cuda_api()), bytes_(bytes), is_reserved_here_(true) {
  check_memory(api_.cuMemAddressReserve(&address_, bytes, alignment, 0, 0), "cuMemAddressReserve",
               index, bytes, "addresses");
}

AddressRange::AddressRange(CUdeviceptr address, std::size_t bytes)
    : api_(cuda_api()), address_(address), bytes_(bytes), is_reserved_here_(false) {}

AddressRange::~AddressRange() {
  if (address_ == 0) return;
  unmap(api_, address_, mapped_);
  if (is_reserved_here_) api_.cuMemAddressFree(address_, bytes_);
}

void AddressRange::map(int index, const Physical& memory, std::size_t bytes) {
  mapped_.reserve(mapped_.size() + 1);
  const std::size_t offset = std::accumulate(mapped_.begin(), mapped_.end(), std::size_t{0});
  check_memory(api_.cuMemMap(address_ + offset, bytes, 0, memory.handle(), 0), "cuMemMap", index,
               bytes, "mapped device memory");
  mapped_.push_back(bytes);
}

void AddressRange::allow(int index, std::span<const CUdevice> devices) {
  std::vector<CUmemAccessDesc> accesses;
  for (const CUdevice device : devices) {
    accesses.push_back({properties_on(device).location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE});
  }
  const CUresult result = api_.cuMemSetAccess(address_, bytes_, accesses.data(), accesses.size());
  check_memory(result, "cuMemSetAccess", index, bytes_, "mapped device memory");
}

CUdeviceptr AddressRange::release() noexcept { return std::exchange(address_, 0); }

void unmap_range(CUdeviceptr address, std::span<const std::size_t> mapped) noexcept {
  try {
    unmap(cuda_api(), address, mapped);
  } catch (const Error&) {
    // CUDA is gone for this process, and the memory with it or the parent's.
  }
}

void release_range(CUdeviceptr address, std::size_t bytes) noexcept {
  try {
    cuda_api().cuMemAddressFree(address, bytes);
  } catch (const Error&) {
    // As above.
  }
}

}  // namespace cupola::cuda
