#pragma once
// One range of addresses whose memory lies on several devices.

#include <cstddef>
#include <span>

#include "driver/handles.h"
#include "driver/lacking.h"

namespace cupola {

// Of memory that lies on several devices, in the order of addresses.
struct StripedPart {
  int device = 0;
  std::size_t bytes = 0;  // > 0, whole multiples of the device's stripe_granularity()
};

// What device sets are made of.
class StripedMemory {
 public:
  virtual ~StripedMemory() = default;

  // What the parts on `device` are made of, in bytes: a power of two.
  virtual std::size_t stripe_granularity(int /*device*/) {
    throw_lacking("memory on several devices");
  }
  // One range of addresses, at least 256-byte aligned, each part of it on its own device, which
  // describe() names. Kernels and copies of all of `devices`, which connect() has accepted, reach
  // all of it; a device that only lends memory need not be one of them. Throws ValueError for parts
  // that are not as said, and OutOfMemoryError that names the device that is short; whatever it
  // throws, nothing has changed.
  virtual void* allocate_striped(std::span<const StripedPart> /*parts*/,
                                 std::span<const int> /*devices*/) {
    throw_lacking("memory on several devices");
  }
  // Of the same parts. No work that uses the memory may be in flight on any device.
  virtual void deallocate_striped(void* /*pointer*/,
                                  std::span<const StripedPart> /*parts*/) noexcept {}
  // Gives the memory of all parts back and keeps the range of addresses, which nobody may use then.
  // No work that uses the memory may be in flight on any device.
  virtual void unmap_striped(void* /*pointer*/, std::span<const StripedPart> /*parts*/) noexcept {}
  // Memory for such a range again, of as many bytes in parts that may be others; what it contains
  // is undefined. Otherwise as allocate_striped().
  virtual void map_striped(void* /*pointer*/, std::span<const StripedPart> /*parts*/,
                           std::span<const int> /*devices*/) {
    throw_lacking("memory on several devices");
  }
  // Gives a range of addresses back that has no memory.
  virtual void release_striped(void* /*pointer*/, std::size_t /*bytes*/) noexcept {}
  // Kernels on each of the devices reach the memory of all the others: asked of the platform, then
  // proved by moving data, once for each ordered pair (kept by the process and, where pairs have
  // names that last, for later processes). Allocates nothing that stays. Throws PeerAccessError
  // that names the pair and the ways out, DeviceError for a device that is not there.
  virtual void connect(std::span<const int> /*devices*/) {
    throw_lacking("memory on several devices");
  }
};

}  // namespace cupola
