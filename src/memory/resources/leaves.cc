#include "memory/resources/leaves.h"

#include <fmt/format.h>

#include <cstdlib>

#include "cupola/error.h"
#include "driver/registry.h"
#include "driver/set/set_driver.h"

namespace cupola {

void* PlatformResource::allocate(std::size_t bytes, const StreamPointer&) {
  return driver_.allocate(device_.index(), bytes, kind_);
}

void PlatformResource::deallocate(void* pointer, std::size_t bytes,
                                  const StreamPointer& stream) noexcept {
  wait_quietly(stream);
  driver_.deallocate(device_.index(), pointer, bytes, kind_);
}

ResourceProperties PlatformResource::properties() const {
  ResourceProperties result;
  result.device = device_;
  result.device_accessible = true;
  result.host_accessible =
      kind_ != MemoryKind::device || driver(device_).traits().host_shares_memory;
  result.managed = kind_ == MemoryKind::managed;
  result.striped = kind_ == MemoryKind::device && device_.is_set();
  result.counts_on_device = kind_ != MemoryKind::pinned;
  return result;
}

void* DeviceRange::allocate(std::size_t bytes, const StreamPointer&) {
  const std::vector<StripedPart> parts = plan(bytes);
  return driver_.allocate_striped(parts, device_.members());
}

void DeviceRange::deallocate(void* pointer, std::size_t bytes,
                             const StreamPointer& stream) noexcept {
  wait_quietly(stream);
  driver_.deallocate_striped(pointer, plan(bytes));
}

ResourceProperties DeviceRange::properties() const {
  ResourceProperties result;
  result.device = device_;
  result.device_accessible = true;
  result.host_accessible = driver(device_).traits().host_shares_memory;
  return result;
}

std::vector<StripedPart> DeviceRange::parts_of(const void*, std::size_t bytes) const {
  return plan(bytes);
}

std::vector<StripedPart> DeviceRange::plan(std::size_t bytes) const {
  const std::size_t unit = driver_.stripe_granularity(device_.index());
  // What no memory can hold stays as much.
  const std::size_t units = bytes / unit + (bytes % unit != 0 && bytes < SIZE_MAX - unit);
  return {{device_.index(), units * unit}};
}

void DeviceRange::unmap(void* pointer, std::span<const StripedPart> parts) noexcept {
  driver_.unmap_striped(pointer, parts);
}

void DeviceRange::map(void* pointer, std::span<const StripedPart> parts) {
  driver_.map_striped(pointer, parts, device_.members());
}

void DeviceRange::release(void* pointer, std::size_t bytes) noexcept {
  driver_.release_striped(pointer, bytes);
}

SetDriver& StripedResource::sets() const { return set_driver(set_.platform()); }

void* StripedResource::allocate(std::size_t bytes, const StreamPointer&) {
  return sets().allocate_placed(set_.index(), bytes, rule_);
}

void StripedResource::deallocate(void* pointer, std::size_t bytes,
                                 const StreamPointer& stream) noexcept {
  wait_quietly(stream);
  sets().deallocate(set_.index(), pointer, bytes, MemoryKind::device);
}

std::vector<StripedPart> StripedResource::parts_of(const void* pointer, std::size_t) const {
  return sets().parts_of(pointer);
}

std::vector<StripedPart> StripedResource::plan(std::size_t bytes) const {
  return sets().plan_parts(set_.index(), bytes, rule_);
}

void StripedResource::unmap(void* pointer, std::span<const StripedPart> parts) noexcept {
  sets().unmap_striped(pointer, parts);
}

void StripedResource::map(void* pointer, std::span<const StripedPart> parts) {
  sets().map_striped(pointer, parts, set_.members());
}

void StripedResource::release(void* pointer, std::size_t bytes) noexcept {
  sets().release_striped(pointer, bytes);
}

ResourceProperties StripedResource::properties() const {
  ResourceProperties result;
  result.device = set_;
  result.device_accessible = true;
  result.host_accessible = driver(set_).traits().host_shares_memory;
  result.striped = true;
  return result;
}

void* AsyncResource::allocate(std::size_t bytes, const StreamPointer& stream) {
  return driver_.allocate_async(bytes, stream->handle());
}

void AsyncResource::deallocate(void* pointer, std::size_t bytes,
                               const StreamPointer& stream) noexcept {
  const StreamPointer& order = stream ? stream : current_stream(device_);
  driver_.deallocate_async(pointer, bytes, order->handle());
}

ResourceProperties AsyncResource::properties() const {
  ResourceProperties result;
  result.device = device_;
  result.device_accessible = true;
  result.host_accessible = driver(device_).traits().host_shares_memory;
  return result;
}

std::size_t AsyncResource::trim() {
  const std::size_t before = driver_.memory_info(device_.index()).free;
  driver_.trim_async(device_.index());
  const std::size_t after = driver_.memory_info(device_.index()).free;
  return after > before ? after - before : 0;
}

void* HostResource::allocate(std::size_t bytes, const StreamPointer&) {
  constexpr std::size_t kAlignment = 256;
  void* pointer = nullptr;
  if (bytes <= SIZE_MAX - kAlignment) {
    pointer = std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
  }
  if (pointer == nullptr) {
    throw OutOfMemoryError(fmt::format("the system refuses {} bytes of host memory", bytes));
  }
  return pointer;
}

void HostResource::deallocate(void* pointer, std::size_t, const StreamPointer& stream) noexcept {
  wait_quietly(stream);
  std::free(pointer);
}

ResourceProperties HostResource::properties() const {
  ResourceProperties result;
  result.device = device_;
  result.host_accessible = true;
  result.counts_on_device = false;
  result.device_accessible = driver(device_).traits().host_shares_memory;
  return result;
}

}  // namespace cupola
