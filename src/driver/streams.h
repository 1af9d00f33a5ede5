#pragma once
// Streams, events, and functions of the host in their order.

#include <cstdint>
#include <functional>
#include <utility>

#include "cupola/stream_options.h"
#include "driver/handles.h"
#include "driver/lacking.h"

namespace cupola {

// Work of one stream runs in the order of the calls.
class Streams {
 public:
  virtual ~Streams() = default;

  // Of the device: the least, and the greatest, which is the lower number.
  virtual std::pair<int, int> stream_priorities(int /*device*/) { return {0, 0}; }
  StreamHandle create_stream(int device) { return create_stream(device, StreamOptions{}); }
  virtual StreamHandle create_stream(int device, const StreamOptions& options) = 0;
  // A stream of others, by its native handle (CUstream; 0 and 1: the legacy default stream, 2: the
  // calling thread's). Throws DeviceError where there are none. destroy_stream() leaves the native
  // stream alone.
  virtual StreamHandle adopt_stream(int /*device*/, void* /*native*/) {
    throw_lacking("streams of others");
  }
  virtual void destroy_stream(StreamHandle stream) noexcept = 0;  // after its work is done
  // The platform's own stream, to be given to its modules and to driver/beside.h; that of the first
  // device where several devices are one.
  virtual StreamHandle of_platform(StreamHandle stream) { return stream; }
  // The platform's own handle (CUstream); null on the CPU.
  virtual void* native_handle(StreamHandle /*stream*/) { return nullptr; }
  // Of the native stream, never reused by the platform; 0 on the CPU.
  virtual std::uint64_t native_id(StreamHandle /*stream*/) { return 0; }
  virtual void synchronize(StreamHandle stream) = 0;
  virtual bool is_idle(StreamHandle stream) = 0;

  EventHandle create_event(int device) { return create_event(device, EventOptions{}); }
  // Throws ValueError for options that exclude each other.
  virtual EventHandle create_event(int device, const EventOptions& options) = 0;
  virtual void destroy_event(EventHandle event) noexcept = 0;
  // The platform's own handle (CUevent); null on the CPU.
  virtual void* native_handle(EventHandle /*event*/) { return nullptr; }
  // The stream must be one of the event's device.
  virtual void record(EventHandle event, StreamHandle stream) = 0;
  // Later work on `stream` starts after the work before the last record(event). Does not block.
  virtual void wait(StreamHandle stream, EventHandle event) = 0;
  virtual bool is_complete(EventHandle event) = 0;
  virtual void synchronize(EventHandle event) = 0;
  // Between the last records of the two. Throws ValueError unless both were made with timing, were
  // recorded and are complete.
  virtual double elapsed_milliseconds(EventHandle first, EventHandle last) = 0;

  // Runs on a thread of the platform, in stream order. It must not call the driver. Functions of
  // several streams may share a thread: one that blocks delays the others.
  virtual void run_on_host(std::function<void()> function, StreamHandle stream) = 0;
  // `begin` runs as run_on_host() does, and later work on the stream starts only after the function
  // that it is given was called, once, from any thread. Meanwhile no thread waits.
  using Done = std::function<void()>;
  virtual void run_beside(std::function<void(Done)> begin, StreamHandle stream) = 0;
};

}  // namespace cupola
