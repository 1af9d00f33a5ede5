#pragma once
// Memory straight from a platform or from the system: nothing is kept for reuse, and deallocation
// waits for the stream, except that of AsyncResource.

#include <utility>

#include "cupola/placement.h"
#include "memory/resource.h"

namespace cupola {

// Blocks of one kind of a platform's memory.
class PlatformResource : public Resource {
 public:
  PlatformResource(Driver& driver, const Device& device, MemoryKind kind)
      : driver_(driver), device_(device), kind_(kind) {}
  void* allocate(std::size_t bytes, const StreamPointer& stream) override;
  void deallocate(void* pointer, std::size_t bytes, const StreamPointer& stream) noexcept override;
  ResourceProperties properties() const override;

 private:
  Driver& driver_;
  Device device_;
  MemoryKind kind_;
};

// Memory of one device.
class DeviceResource final : public PlatformResource {
 public:
  DeviceResource(Driver& driver, const Device& device)
      : PlatformResource(driver, device, MemoryKind::device) {}
};

// Memory of all members of a set, which they all reach, divided by a rule.
class StripedResource final : public Resource {
 public:
  StripedResource(const Device& set, PlacementRule rule) : set_(set), rule_(std::move(rule)) {}
  void* allocate(std::size_t bytes, const StreamPointer& stream) override;
  void deallocate(void* pointer, std::size_t bytes, const StreamPointer& stream) noexcept override;
  ResourceProperties properties() const override;

 private:
  Device set_;
  PlacementRule rule_;
};

// Moves between the host and the devices as it is used.
class ManagedResource final : public PlatformResource {
 public:
  ManagedResource(Driver& driver, const Device& device)
      : PlatformResource(driver, device, MemoryKind::managed) {}
};

// Host memory that copies read and write without the host.
class PinnedResource final : public PlatformResource {
 public:
  PinnedResource(Driver& driver, const Device& device)
      : PlatformResource(driver, device, MemoryKind::pinned) {}
};

// From the platform's own stream-ordered allocator. allocate() needs a stream.
class AsyncResource final : public Resource {
 public:
  AsyncResource(Driver& driver, const Device& device) : driver_(driver), device_(device) {}
  void* allocate(std::size_t bytes, const StreamPointer& stream) override;
  void deallocate(void* pointer, std::size_t bytes, const StreamPointer& stream) noexcept override;
  ResourceProperties properties() const override;
  std::size_t trim() override;

 private:
  Driver& driver_;
  Device device_;
};

// Pageable host memory.
class HostResource final : public Resource {
 public:
  explicit HostResource(const Device& device) : device_(device) {}
  void* allocate(std::size_t bytes, const StreamPointer& stream) override;
  void deallocate(void* pointer, std::size_t bytes, const StreamPointer& stream) noexcept override;
  ResourceProperties properties() const override;

 private:
  Device device_;
};

}  // namespace cupola
