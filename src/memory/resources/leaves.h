#pragma once
// Memory straight from a platform or from the system: nothing is kept for reuse, and deallocation
// waits for the stream, except that of AsyncResource.

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "cupola/placement.h"
#include "memory/resources/resource.h"

namespace cupola {

class SetDriver;

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

// Memory that can go while its range of addresses stays.
class RangeResource : public Resource {
 public:
  // What an allocation of so many bytes is made of.
  virtual std::vector<StripedPart> parts_of(const void* pointer, std::size_t bytes) const = 0;
  // How as many bytes would be divided now. Throws OutOfMemoryError.
  virtual std::vector<StripedPart> plan(std::size_t bytes) const = 0;
  // As the driver's functions for striped memory.
  virtual void unmap(void* pointer, std::span<const StripedPart> parts) noexcept = 0;
  virtual void map(void* pointer, std::span<const StripedPart> parts) = 0;
  virtual void release(void* pointer, std::size_t bytes) noexcept = 0;
};

// Of one device.
class DeviceRange final : public RangeResource {
 public:
  DeviceRange(Driver& driver, const Device& device) : driver_(driver), device_(device) {}
  void* allocate(std::size_t bytes, const StreamPointer& stream) override;
  void deallocate(void* pointer, std::size_t bytes, const StreamPointer& stream) noexcept override;
  ResourceProperties properties() const override;
  std::vector<StripedPart> parts_of(const void* pointer, std::size_t bytes) const override;
  std::vector<StripedPart> plan(std::size_t bytes) const override;
  void unmap(void* pointer, std::span<const StripedPart> parts) noexcept override;
  void map(void* pointer, std::span<const StripedPart> parts) override;
  void release(void* pointer, std::size_t bytes) noexcept override;

 private:
  Driver& driver_;
  Device device_;
};

// Memory of all members of a set, which they all reach, divided by a rule.
class StripedResource final : public RangeResource {
 public:
  StripedResource(const Device& set, PlacementRule rule) : set_(set), rule_(std::move(rule)) {}
  void* allocate(std::size_t bytes, const StreamPointer& stream) override;
  void deallocate(void* pointer, std::size_t bytes, const StreamPointer& stream) noexcept override;
  ResourceProperties properties() const override;
  std::vector<StripedPart> parts_of(const void* pointer, std::size_t bytes) const override;
  std::vector<StripedPart> plan(std::size_t bytes) const override;
  void unmap(void* pointer, std::span<const StripedPart> parts) noexcept override;
  void map(void* pointer, std::span<const StripedPart> parts) override;
  void release(void* pointer, std::size_t bytes) noexcept override;

 private:
  SetDriver& sets() const;

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
