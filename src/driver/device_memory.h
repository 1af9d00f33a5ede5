#pragma once
// Memory of one device, and memory of the host that devices use.

#include <cstddef>
#include <cstdint>

#include "driver/device_facts.h"
#include "driver/handles.h"
#include "driver/lacking.h"

namespace cupola {

enum class MemoryKind : std::uint8_t { device, pinned, managed };

enum class PointerKind : std::uint8_t {
  unknown,  // pageable host memory, or memory of others
  device,
  pinned,
  managed
};
struct PointerInfo {
  PointerKind kind = PointerKind::unknown;
  int device = -1;  // that the memory belongs to; -1: none
};

enum class MemoryAdvice : std::uint8_t {
  read_mostly,
  unset_read_mostly,
  preferred_location,
  unset_preferred_location,
  accessed_by,
  unset_accessed_by
};
// Of prefetch and advise.
inline constexpr int kHostLocation = -1;

// Allocation, and what is known of addresses.
class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;

  // At least 256-byte aligned. Throws OutOfMemoryError. `bytes` > 0.
  virtual void* allocate(int device, std::size_t bytes, MemoryKind kind) = 0;
  // No work that uses the memory may be in flight.
  virtual void deallocate(int device, void* pointer, std::size_t bytes,
                          MemoryKind kind) noexcept = 0;

  // From the platform's own stream-ordered allocator: usable in the order of `stream`. As allocate
  // otherwise, and `stream` says which device.
  virtual void* allocate_async(std::size_t /*bytes*/, StreamHandle /*stream*/) {
    throw_lacking("allocator in the order of streams");
  }
  // Given back once the work so far on `stream` is done; work before it may use the memory.
  virtual void deallocate_async(void* /*pointer*/, std::size_t /*bytes*/,
                                StreamHandle /*stream*/) noexcept {}
  // Gives what that allocator keeps for reuse on a device back to the system.
  virtual void trim_async(int /*device*/) {}
  // Makes host memory of others fit for asynchronous copies of every device; `device` is the one
  // that is asked to. Throws ValueError if a part of it is pinned already.
  virtual void pin_host(int /*device*/, void* /*pointer*/, std::size_t /*bytes*/) {
    throw_lacking("pinned memory of others");
  }
  // Of memory that pin_host made so, by its first address; no copy may be using it.
  virtual void unpin_host(void* /*pointer*/) noexcept {}
  // Any address, also one within a block. Makes no context and initialises nothing.
  virtual PointerInfo describe(const void* pointer) = 0;
  // Of managed memory; ValueError for other memory. `device` may be kHostLocation.
  virtual void advise(void* /*pointer*/, std::size_t /*bytes*/, MemoryAdvice /*advice*/,
                      int /*device*/) {
    throw_lacking("managed memory");
  }
  virtual void prefetch(void* /*pointer*/, std::size_t /*bytes*/, int /*device*/,
                        StreamHandle /*stream*/) {
    throw_lacking("managed memory");
  }
};

}  // namespace cupola
