#pragma once
// Streams as the library sees them, and the calling thread's current device and streams.

#include <cstdint>
#include <memory>
#include <mutex>

#include "cupola/runtime.h"
#include "driver/driver.h"

namespace cupola {

// Owns one stream of a platform. Shared by everything that was used on it, so that its handle
// outlives its uses.
class StreamState {
 public:
  StreamState(Driver& driver, const Device& device);
  ~StreamState();
  StreamState(const StreamState&) = delete;
  StreamState& operator=(const StreamState&) = delete;

  Driver& driver() const { return driver_; }
  const Device& device() const { return device_; }
  StreamHandle handle() const { return handle_; }
  std::uint64_t id() const { return id_; }

  // Later work on this stream starts after all work so far on `earlier`, of the same platform.
  void wait_for(StreamState& earlier);

 private:
  Driver& driver_;
  Device device_;
  StreamHandle handle_;
  std::uint64_t id_;
  std::mutex event_mutex_;  // one record-then-wait at a time
  EventHandle event_ = nullptr;
};

// The calling thread's current stream on `device`: by default the thread's own stream, which
// another thread takes over when the thread ends.
const std::shared_ptr<StreamState>& current_stream(const Device& device);

}  // namespace cupola
