// Memory of several emulated devices: one block of the host's, its parts within their budgets; and
// which devices reach each other.
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <mutex>

#include "base/mutant.h"
#include "cupola/error.h"
#include "driver/striped.h"
#include "platforms/cpu/device/cpu_driver.h"

namespace cupola::cpu {

std::size_t CpuDriver::stripe_granularity(int device) {
  check_device(device);
  return settings_.stripe_bytes;
}

void CpuDriver::charge_parts(std::span<const StripedPart> parts, std::size_t whole) {
  // Two that want all of the same devices shall not both fail because each has a part of it.
  const std::lock_guard lock(striping_);
  std::size_t charged = 0;
  try {
    for (; charged < parts.size(); ++charged) {
      const auto& [device, bytes] = parts[CUPOLA_MUTANT(charge_one_device) ? 0 : charged];
      charge(device, bytes, bytes, whole);
    }
  } catch (...) {
    if (CUPOLA_MUTANT(keep_charges)) throw;
    while (charged-- > 0) discharge(parts[charged].device, parts[charged].bytes);
    throw;
  }
}

void* CpuDriver::allocate_striped(std::span<const StripedPart> parts,
                                  std::span<const int> devices) {
  const std::size_t bytes = check_striped(*this, parts, devices);
  charge_parts(parts, bytes);
  void* const pointer = take_memory(bytes);
  if (pointer == nullptr) {
    for (const auto& [device, size] : parts) discharge(device, size);
    throw OutOfMemoryError(fmt::format("the system refuses {} bytes for {} of the CPU's devices",
                                       bytes, devices.size()));
  }
  add_parts(pointer, parts);
  return pointer;
}

void CpuDriver::deallocate_striped(void* pointer, std::span<const StripedPart> parts) noexcept {
  if (pointer == nullptr) return;
  remove_parts(pointer, parts);
  give_memory(pointer);
  for (const auto& [device, size] : parts) discharge(device, size);
}

void CpuDriver::unmap_striped(void* pointer, std::span<const StripedPart> parts) noexcept {
  remove_parts(pointer, parts);
  hide_memory(pointer, bytes_of(parts));
  for (const auto& [device, size] : parts) discharge(device, size);
}

void CpuDriver::map_striped(void* pointer, std::span<const StripedPart> parts,
                            std::span<const int> devices) {
  const std::size_t bytes = check_striped(*this, parts, devices);
  charge_parts(parts, bytes);
  show_memory(pointer, bytes);
  add_parts(pointer, parts);
}

void CpuDriver::release_striped(void* pointer, std::size_t bytes) noexcept {
  show_memory(pointer, bytes);
  give_memory(pointer);
}

void CpuDriver::add_parts(const void* pointer, std::span<const StripedPart> parts) {
  const auto* at = static_cast<const char*>(pointer);
  for (const auto& [device, size] : parts) {
    allocations_.add(at, {size, PointerKind::device, device});
    at += size;
  }
}

void CpuDriver::remove_parts(const void* pointer, std::span<const StripedPart> parts) noexcept {
  const auto* at = static_cast<const char*>(pointer);
  for (const auto& [device, size] : parts) {
    allocations_.remove(at);
    at += size;
  }
}

const BadPair* CpuDriver::bad_pair(int device, int peer) const {
  for (const BadPair& pair : settings_.bad_pairs) {
    if ((pair.first == device && pair.second == peer) ||
        (pair.first == peer && pair.second == device)) {
      return &pair;
    }
  }
  return nullptr;
}

bool CpuDriver::can_access_peer(int device, int peer) {
  check_device(device);
  check_device(peer);
  if (device == peer) return false;
  const BadPair* bad = bad_pair(device, peer);
  return bad == nullptr || bad->lies;
}

// The host's memory has no devices: that of a pair that lies is lost on the way.
bool CpuDriver::data_arrives(int device, int peer) {
  const BadPair* bad = bad_pair(device, peer);
  const std::array<std::uint32_t, 2> sent{0xC0B01A00U + static_cast<std::uint32_t>(device),
                                          0x0A10B0CU + static_cast<std::uint32_t>(peer)};
  std::array<std::uint32_t, 2> memory{};
  if (bad == nullptr || !bad->lies) memory = sent;
  return memory == sent;
}

void CpuDriver::connect(std::span<const int> devices) {
  for (const int device : devices) check_device(device);
  peers_.connect(*this, devices,
                 [this](int device, int peer) { return data_arrives(device, peer); });
}

}  // namespace cupola::cpu
