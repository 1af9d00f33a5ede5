// Memory of several GPUs under one range of addresses, and which GPUs reach each other's.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "driver/striped.h"
#include "platforms/cuda/context.h"
#include "platforms/cuda/cuda_driver.h"
#include "platforms/cuda/discovery.h"
#include "platforms/cuda/mapped_memory.h"
#include "platforms/cuda/peer_proof.h"

namespace cupola::cuda {
namespace {

// Long enough for a GPU that others keep busy.
constexpr std::chrono::seconds kPatience{30};

}  // namespace

std::size_t CudaDriver::stripe_granularity(int device) {
  found_device(device);  // throws before anything is initialised
  initialize_cuda();
  return granularity(device, properties_on(native_device(device)));
}

void* CudaDriver::allocate_striped(std::span<const StripedPart> parts,
                                   std::span<const int> devices) {
  const std::size_t whole = check_striped(*this, parts, devices);
  // Devices that only lend memory need no context.
  std::vector<CUdevice> reaching;
  for (const int device : devices) reaching.push_back(device_context(device).device);
  const ContextGuard guard(device_context(devices.front()));
  const std::string what = fmt::format("device memory (its share of {})", whole);
  std::vector<Physical> memory;
  std::size_t alignment = 0;
  for (const auto& [device, bytes] : parts) {
    const CUmemAllocationProp properties = properties_on(native_device(device));
    alignment = std::max(alignment, granularity(device, properties));
    memory.emplace_back(device, properties, bytes, what);
  }
  AddressRange range(devices.front(), whole, alignment);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    range.map(parts[i].device, memory[i], parts[i].bytes);
  }
  range.allow(devices.front(), reaching);
  return reinterpret_cast<void*>(range.release());
}

void CudaDriver::deallocate_striped(void* pointer, std::span<const StripedPart> parts) noexcept {
  if (pointer == nullptr) return;
  std::vector<std::size_t> mapped;
  for (const auto& [device, bytes] : parts) mapped.push_back(bytes);
  unmap_range(reinterpret_cast<CUdeviceptr>(pointer), mapped);
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
