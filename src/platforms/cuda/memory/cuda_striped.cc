// Memory of several GPUs under one range of addresses, and which GPUs reach each other's.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "base/mutant.h"
#include "driver/striped.h"
#include "platforms/cuda/device/context.h"
#include "platforms/cuda/device/cuda_driver.h"
#include "platforms/cuda/device/discovery.h"
#include "platforms/cuda/memory/mapped_memory.h"
#include "platforms/cuda/memory/peer_proof.h"

namespace cupola::cuda {
namespace {

// Long enough for a GPU that others keep busy.
constexpr std::chrono::seconds kPatience{30};

// Makes their contexts; devices that only lend memory need none.
std::vector<CUdevice> natives_of(std::span<const int> devices) {
  std::vector<CUdevice> natives;
  for (const int device : devices) natives.push_back(device_context(device).device);
  return natives;
}

std::vector<Physical> memory_of(std::span<const StripedPart> parts, std::size_t whole) {
  const std::string what = fmt::format("device memory (its share of {})", whole);
  std::vector<Physical> memory;
  for (const auto& [device, bytes] : parts) {
    const int holder = CUPOLA_MUTANT(stripe_on_one_device) ? parts.front().device : device;
    memory.emplace_back(device, properties_on(native_device(holder)), bytes, what);
  }
  return memory;
}

void map_parts(AddressRange& range, std::span<const StripedPart> parts,
               std::span<const Physical> memory) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    range.map(parts[i].device, memory[i], parts[i].bytes);
  }
}

std::vector<std::size_t> sizes_of(std::span<const StripedPart> parts) {
  std::vector<std::size_t> sizes;
  for (const StripedPart& part : parts) sizes.push_back(part.bytes);
  return sizes;
}

}  // namespace

std::size_t CudaDriver::stripe_granularity(int device) {
  found_device(device);  // throws before anything is initialised
  initialize_cuda();
  return granularity(device, properties_on(native_device(device)));
}

void* CudaDriver::allocate_striped(std::span<const StripedPart> parts,
                                   std::span<const int> devices) {
  const std::size_t whole = check_striped(*this, parts, devices);
  const std::vector<CUdevice> reaching = natives_of(devices);
  const ContextGuard guard(device_context(devices.front()));
  const std::vector<Physical> memory = memory_of(parts, whole);
  std::size_t alignment = 0;
  for (const StripedPart& part : parts) {
    const CUmemAllocationProp properties = properties_on(native_device(part.device));
    alignment = std::max(alignment, granularity(part.device, properties));
  }
  AddressRange range(devices.front(), whole, alignment);
  map_parts(range, parts, memory);
  range.allow(devices.front(), reaching);
  return reinterpret_cast<void*>(range.release());
}

void CudaDriver::deallocate_striped(void* pointer, std::span<const StripedPart> parts) noexcept {
  if (pointer == nullptr) return;
  const std::vector<std::size_t> mapped = sizes_of(parts);
  unmap_range(device_address(pointer), mapped);
  release_range(device_address(pointer), bytes_of(parts));
}

void CudaDriver::unmap_striped(void* pointer, std::span<const StripedPart> parts) noexcept {
  unmap_range(device_address(pointer), sizes_of(parts));
}

void CudaDriver::map_striped(void* pointer, std::span<const StripedPart> parts,
                             std::span<const int> devices) {
  const std::size_t whole = check_striped(*this, parts, devices);
  const std::vector<CUdevice> reaching = natives_of(devices);
  const ContextGuard guard(device_context(devices.front()));
  const std::vector<Physical> memory = memory_of(parts, whole);
  AddressRange range(device_address(pointer), whole);
  map_parts(range, parts, memory);
  range.allow(devices.front(), reaching);
  range.release();
}

void CudaDriver::release_striped(void* pointer, std::size_t bytes) noexcept {
  release_range(device_address(pointer), bytes);
}

bool CudaDriver::data_arrives(int device, int peer) {
  const std::string pair = name_of_pair(*this, device, peer);
  if (is_kept_proof(pair)) return true;
  if (!cuda::data_arrives(*this, device, peer, kPatience)) return false;
  keep_proof(pair);
  return true;
}

void CudaDriver::connect(std::span<const int> devices) {
  for (const int device : devices) found_device(device);  // throws
  peers_.connect(*this, devices,
                 [this](int device, int peer) { return data_arrives(device, peer); });
}

}  // namespace cupola::cuda
