// Memory of device sets.
#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/process/environment.h"
#include "base/threads/lazy.h"
#include "driver/set/set_driver.h"

namespace cupola {

namespace {

// What a launch on several devices costs more than one on one of them is nothing beside this.
// Larger than the pieces that pools cut small arrays from.
constexpr std::size_t kLeastThreshold = std::size_t{32} << 20;
constexpr std::size_t kThresholdGranules = 16;

}  // namespace

std::size_t SetDriver::threshold(int set) {
  static constinit Lazy<const std::optional<std::uint64_t>> chosen;
  const auto& bytes =
      chosen.get([] { return whole_number_setting("CUPOLA_STRIPE_THRESHOLD", 1, SIZE_MAX); });
  if (bytes) return *bytes;
  return std::max(kLeastThreshold, kThresholdGranules * stripe_granularity(set));
}

// Every launch asks; the platform takes its time.
std::size_t SetDriver::stripe_granularity(int set) {
  std::atomic<std::size_t>& known = state_of(set).granularity;
  std::size_t largest = known.load(std::memory_order_relaxed);
  if (largest != 0) return largest;
  for (const int member : members(set)) {
    largest = std::max(largest, platform_.stripe_granularity(member));
  }
  known.store(largest, std::memory_order_relaxed);
  return largest;
}

std::vector<std::size_t> SetDriver::free_of(int set) {
  std::vector<std::size_t> free;
  for (const int member : members(set)) free.push_back(platform_.memory_info(member).free);
  return free;
}

void SetDriver::connect_once(int set) {
  std::atomic<bool>& done = state_of(set).is_connected;
  if (done.load(std::memory_order_acquire)) return;
  platform_.connect(members(set));
  done.store(true, std::memory_order_release);
}

Placement SetDriver::plan(int set, std::size_t bytes, const PlacementRule& rule) {
  std::vector<std::string> names;
  for (const int member : members(set)) names.push_back(Device(platform(), member).to_string());
  return place({bytes, stripe_granularity(set), free_of(set), rule}, names);
}

std::vector<StripedPart> SetDriver::plan_parts(int set, std::size_t bytes,
                                               const PlacementRule& rule) {
  const Placement placement = plan(set, bytes, rule);
  std::vector<StripedPart> parts;
  for (std::size_t i = 0; i < placement.bytes.size(); ++i) {
    if (placement.bytes[i] != 0) parts.push_back({members(set)[i], placement.bytes[i]});
  }
  return parts;
}

void* SetDriver::allocate_placed(int set, std::size_t bytes, const PlacementRule& rule) {
  connect_once(set);
  return allocate_parts(set, plan_parts(set, bytes, rule));
}

int SetDriver::set_of(std::span<const int> devices) const {
  std::vector<Device> members;
  for (const int device : devices) members.emplace_back(platform(), device);
  return Device::of_members(members).index();
}

void* SetDriver::allocate_striped(std::span<const StripedPart> parts,
                                  std::span<const int> devices) {
  return allocate_parts(set_of(devices), parts);
}

void* SetDriver::allocate_parts(int set, std::span<const StripedPart> parts) {
  void* const data = platform_.allocate_striped(parts, members(set));
  try {
    memory_.add(data, set, {parts.begin(), parts.end()});
  } catch (...) {
    platform_.deallocate_striped(data, parts);
    throw;
  }
  return data;
}

void SetDriver::deallocate_striped(void* pointer, std::span<const StripedPart>) noexcept {
  if (const StripedBlockPointer block = memory_.remove(pointer)) {
    platform_.deallocate_striped(pointer, block->parts);
  }
}

void SetDriver::unmap_striped(void* pointer, std::span<const StripedPart>) noexcept {
  if (const StripedBlockPointer block = memory_.remove(pointer)) {
    platform_.unmap_striped(pointer, block->parts);
  }
}

void SetDriver::map_striped(void* pointer, std::span<const StripedPart> parts,
                            std::span<const int> devices) {
  const int set = set_of(devices);
  platform_.map_striped(pointer, parts, members(set));
  try {
    memory_.add(pointer, set, {parts.begin(), parts.end()});
  } catch (...) {
    platform_.unmap_striped(pointer, parts);
    throw;
  }
}

void SetDriver::release_striped(void* pointer, std::size_t bytes) noexcept {
  platform_.release_striped(pointer, bytes);
}

std::vector<StripedPart> SetDriver::parts_of(const void* pointer) const {
  const StripedBlockPointer block = memory_.find(pointer);
  return block ? block->parts : std::vector<StripedPart>{};
}

void* SetDriver::allocate(int set, std::size_t bytes, MemoryKind kind) {
  if (kind != MemoryKind::device) return platform_.allocate(first_of(set), bytes, kind);
  PlacementRule rule;
  rule.threshold = threshold(set);
  return allocate_placed(set, bytes, rule);
}

void SetDriver::deallocate(int set, void* pointer, std::size_t bytes, MemoryKind kind) noexcept {
  if (kind != MemoryKind::device) {
    return platform_.deallocate(first_of(set), pointer, bytes, kind);
  }
  deallocate_striped(pointer, {});
}

void* SetDriver::allocate_async(std::size_t bytes, StreamHandle stream) {
  return platform_.allocate_async(bytes, SetStream::of(stream).lead());
}

void SetDriver::deallocate_async(void* pointer, std::size_t bytes, StreamHandle stream) noexcept {
  platform_.deallocate_async(pointer, bytes, SetStream::of(stream).lead());
}

void SetDriver::trim_async(int set) {
  for (const int member : members(set)) platform_.trim_async(member);
}

void SetDriver::pin_host(int set, void* pointer, std::size_t bytes) {
  platform_.pin_host(first_of(set), pointer, bytes);
}

PointerInfo SetDriver::describe(const void* pointer) {
  if (const StripedBlockPointer block = memory_.find(pointer)) {
    return {PointerKind::device, block->set};
  }
  return platform_.describe(pointer);
}

void SetDriver::advise(void* pointer, std::size_t bytes, MemoryAdvice advice, int device) {
  platform_.advise(pointer, bytes, advice, device == kHostLocation ? device : first_of(device));
}

void SetDriver::prefetch(void* pointer, std::size_t bytes, int device, StreamHandle stream) {
  platform_.prefetch(pointer, bytes, device == kHostLocation ? device : first_of(device),
                     SetStream::of(stream).lead());
}

std::vector<Piece> SetDriver::pieces(const void* pointer, std::size_t bytes) const {
  const StripedBlockPointer block = memory_.find(pointer);
  return block ? pieces_of(*block, pointer, bytes) : std::vector<Piece>{};
}

std::vector<Piece> SetDriver::pieces_held(const Device& set, const void* data,
                                          std::size_t bytes) const {
  const StripedBlockPointer block = memory_.find(data);
  if (!block || !set.contains(Device(platform(), block->set))) return {};
  return pieces_of(*block, data, bytes);
}

}  // namespace cupola
