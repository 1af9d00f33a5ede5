#pragma once
// Events as the library sees them.

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "base/threads/mutex.h"
#include "cupola/runtime.h"
#include "driver/driver.h"

namespace cupola {

class Capture;  // runtime/capture.h

// Owns one event of a platform, which is made when it is first needed. It belongs to the device of
// the first stream that it is recorded on.
class EventState {
 public:
  explicit EventState(const EventOptions& options);
  ~EventState();
  EventState(const EventState&) = delete;
  EventState& operator=(const EventState&) = delete;

  // Throws DeviceError for a stream of another device than before.
  void record(StreamState& stream);
  // Later work on the stream starts after the work before the last record; no wait before the
  // first.
  void make_wait(StreamState& stream);
  // Complete if it was never recorded; never after it was recorded in a capture.
  bool is_complete();
  void synchronize();
  // Of `device` where it was not recorded yet. Null on the CPU.
  void* native_handle(const Device& device);
  // None before it was recorded.
  std::optional<Device> device();
  // Throws ValueError unless both are complete and have times, DeviceError for those of two
  // platforms.
  static double elapsed_milliseconds(EventState& first, EventState& last);

 private:
  EventHandle open(const Device& device);
  // Null before it was made. Throws ForkedProcessError for one of the parent process.
  EventHandle handle();
  bool is_parents() const;
  // The capture that it was last recorded in, as long as it runs. Throws CaptureError afterwards.
  std::shared_ptr<Capture> running_capture();

  const EventOptions options_;
  std::uint64_t generation_;  // of the process that made the platform's event
  Mutex mutex_;
  std::optional<Device> device_;
  EventHandle handle_ = nullptr;
  bool recorded_ = false;
  std::weak_ptr<Capture> capture_;  // that it was last recorded in
  bool is_captured_ = false;        // it was recorded in one last
};

}  // namespace cupola
