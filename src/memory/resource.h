#pragma once
// Where memory comes from. Stream-ordered: memory may be used on `stream` from the call on, and
// on other streams once they wait for it; at deallocation, work on `stream` may still use it.

#include <cstddef>
#include <memory>

#include "runtime/stream.h"

namespace cupola {

using StreamPointer = std::shared_ptr<StreamState>;

class Resource {
 public:
  virtual ~Resource() = default;
  // At least 256-byte aligned; `bytes` > 0. Throws OutOfMemoryError.
  virtual void* allocate(std::size_t bytes, const StreamPointer& stream) = 0;
  // `bytes` as at allocate.
  virtual void deallocate(void* pointer, std::size_t bytes,
                          const StreamPointer& stream) noexcept = 0;
};

// Memory of one device, straight from the platform. Deallocation waits for the stream.
class DeviceResource final : public Resource {
 public:
  DeviceResource(Driver& driver, const Device& device, MemoryKind kind = MemoryKind::device)
      : driver_(driver), device_(device), kind_(kind) {}
  void* allocate(std::size_t bytes, const StreamPointer& stream) override;
  void deallocate(void* pointer, std::size_t bytes, const StreamPointer& stream) noexcept override;

 private:
  Driver& driver_;
  Device device_;
  MemoryKind kind_;
};

}  // namespace cupola
