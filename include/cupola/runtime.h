#pragma once
// Devices and streams of this process. The current device and stream belong to the calling
// thread; the current device decides only where new arrays are made.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "cupola/array.h"
#include "cupola/device.h"
#include "cupola/dims.h"
#include "cupola/stream_options.h"

namespace cupola {

class EventState;
class StreamState;

// Initialises nothing; 0 when the platform is not usable.
int device_count(PlatformKind platform);
// Of streams of the device: the least, and the greatest, which is the lower number. Both are 0 on
// the CPU platform.
struct PriorityRange {
  int least = 0;
  int greatest = 0;
};
PriorityRange stream_priorities(const Device& device);
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
// For all threads of the process that set no current device of their own; cuda:0 or cpu:0 at first.
void set_default_device(const Device& device);
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

class Event;

// An in-order queue of work on one device; a handle.
class Stream {
 public:
  // The calling thread's current stream on the device.
  static Stream current(const Device& device);
  // The calling thread's own stream, which is the current one unless another was chosen.
  static Stream of_thread(const Device& device);
  // Nothing of the platform is made before it is used.
  static Stream create(const Device& device, const StreamOptions& options = {});
  // A stream of another library, by its native handle (CUstream); `owner` is kept until what was
  // used on it is done. Throws DeviceError for a stream of another device, and on the CPU platform.
  static Stream adopt(const Device& device, void* native, std::shared_ptr<void> owner = nullptr);
  explicit Stream(std::shared_ptr<StreamState> state) : state_(std::move(state)) {}
  const Device& device() const;
  // Never reused within the process.
  std::uint64_t id() const;
  // Blocks until all work so far is done, and throws what it failed with.
  void synchronize() const;
  bool is_idle() const;
  // It belongs to another library.
  bool is_foreign() const;
  // Within what the device has: lower numbers come first. Of a stream of others, 0.
  int priority() const;
  bool is_non_blocking() const;
  // Later work on it starts after the work before the event's last record.
  void wait_for(const Event& event) const;
  // After all work so far on the other stream; of a foreign stream, also that of its owner.
  void wait_for(const Stream& earlier) const;
  // Runs `function` in stream order; later work on the stream waits until it has returned. It has a
  // thread of its own and may block or use the library, but not wait for this stream. It must not
  // throw.
  void launch_host_function(std::function<void()> function) const;
  // Makes it the calling thread's current stream on its device.
  void use() const;
  // The platform's own handle (CUstream); null on the CPU platform.
  void* native_handle() const;
  const std::shared_ptr<StreamState>& state() const { return state_; }

 private:
  std::shared_ptr<StreamState> state_;
};

// Makes a stream of the device the calling thread's current one there, null its default stream, and
// returns what was chosen so far. Nothing is made.
std::shared_ptr<StreamState> choose_stream(const Device& device,
                                           std::shared_ptr<StreamState> stream);

// What CuPy and CUDA call the null (legacy default) stream of a device. Each thread has a default
// stream of its own here, so that threads do not wait for each other; the null stream stands for
// all of these together, and for the streams that were made with non_blocking = false.
class NullStream {
 public:
  explicit NullStream(const Device& device) : device_(device) {}
  const Device& device() const { return device_; }
  // Of all of them. Each call throws CaptureError while the calling thread captures one.
  void synchronize() const;
  bool is_idle() const;
  // The null stream itself cannot be captured.
  bool is_capturing() const;
  // The calling thread's own stream after it was told to wait for the work so far on all of them:
  // to record events or launch host functions on.
  Stream gathered() const;
  // All of them that exist.
  void wait_for(const Event& event) const;

 private:
  Device device_;
};

// A mark in a stream's work; a handle. It belongs to the device that it is first recorded on.
class Event {
 public:
  explicit Event(const EventOptions& options = {});
  // All work so far on the stream. Throws DeviceError for a stream of another device than before.
  void record(const Stream& stream) const;
  // The work before the last record is done; true before the first.
  bool is_complete() const;
  void synchronize() const;
  std::optional<Device> device() const;
  // The platform's own handle (CUevent), made on `device` unless it was recorded before; null on
  // the CPU platform.
  void* native_handle(const Device& device) const;
  EventState& state() const { return *state_; }

 private:
  std::shared_ptr<EventState> state_;
};
// Throws ValueError unless both have timing, were recorded and are complete.
double elapsed_milliseconds(const Event& first, const Event& last);

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
