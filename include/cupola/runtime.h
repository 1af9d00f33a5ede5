#pragma once
// Devices and streams of this process. The current device and stream belong to the calling
// thread; the current device decides only where new arrays are made.

#include <memory>
#include <optional>

#include "cupola/array.h"
#include "cupola/device.h"

namespace cupola {

class StreamState;

// Initialises nothing; 0 when the platform is not usable.
int device_count(PlatformKind platform);
// CUPOLA_PLATFORM (cpu or cuda) or, without it, cuda where a GPU is usable. Throws ValueError for
// an unknown platform and DeviceError for cuda without a GPU.
PlatformKind default_platform();
// Throws DeviceError for a device that does not exist, with the number there are.
void check_device(const Device& device);

struct DeviceDescription {
  std::string name;
  std::size_t total_memory;  // bytes
  std::size_t free_memory;   // bytes
  int compute_major, compute_minor;
  int multiprocessors;
  std::string uuid, pci_bus_id;
};
DeviceDescription describe_device(const Device& device);

Device current_device();
void set_current_device(const Device& device);
class DeviceScope {
 public:
  explicit DeviceScope(const Device& device) : previous_(current_device()) {
    set_current_device(device);
  }
  ~DeviceScope() { set_current_device(previous_); }
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  Device previous_;
};

// An in-order queue of work on one device; a handle.
class Stream {
 public:
  // The calling thread's current stream on the device.
  static Stream current(const Device& device);
  static Stream create(const Device& device);
  explicit Stream(std::shared_ptr<StreamState> state) : state_(std::move(state)) {}
  const Device& device() const;
  // Never reused within the process.
  std::uint64_t id() const;
  // Blocks until all work so far is done, and throws what it failed with.
  void synchronize() const;
  bool is_idle() const;
  // Makes it the calling thread's current stream on its device.
  void use() const;
  // The platform's own handle (CUstream); null on the CPU platform.
  void* native_handle() const;
  const std::shared_ptr<StreamState>& state() const { return state_; }

 private:
  std::shared_ptr<StreamState> state_;
};

// Blocks until the work of all streams of the device is done.
void synchronize(const Device& device);
// Gives cached memory back to the platform; returns the bytes.
std::size_t release_cached_memory(const Device& device);
struct MemoryStatistics {
  std::size_t used;    // bytes of live arrays
  std::size_t cached;  // bytes held for reuse
};
MemoryStatistics memory_statistics(const Device& device);

// Waits until the contents of `array` are computed.
void wait(const Array& array);
// Address of the first element; computes the array. The address is valid on the device.
void* data_pointer(const Array& array);
// In elements; computes the array.
Dims strides(const Array& array);

}  // namespace cupola
