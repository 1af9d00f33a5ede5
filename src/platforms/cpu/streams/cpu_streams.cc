// Streams and events of the CPU platform.
#include <fmt/format.h>

#include <utility>

#include "cupola/error.h"
#include "platforms/cpu/device/cpu_driver.h"
#include "platforms/cpu/streams/handles.h"

namespace cupola::cpu {
namespace {

// When the event's last record was complete. Throws ValueError where that cannot be told.
std::chrono::steady_clock::time_point completion_time(DriverEvent& event, const char* which) {
  const std::lock_guard lock(event.mutex);
  const auto refuse = [&](const char* reason) {
    throw ValueError(fmt::format("no time between two events: the {} one {}", which, reason));
  };
  if (!event.options.timing) refuse("was made without timing (disable_timing=True)");
  if (!event.recorded) refuse("was never recorded");
  if (!event.last->is_complete()) refuse("is not complete; synchronize it first");
  return event.last->completed_at();
}

// Throws for an event whose last record was captured: it has no time at which it is complete.
void check_real(DriverEvent& event) {
  const std::lock_guard lock(event.mutex);
  if (!event.mark.recording) return;
  throw_capture_error(CaptureFailure::captured_event,
                      "the event was last recorded on a stream that was capturing: nothing of it "
                      "can be waited for on the host");
}

// True: one of the two belongs to a capture, which has the wait now.
bool wait_in_capture(StreamHandle stream, DriverEvent& event) {
  Mark mark;
  {
    const std::lock_guard lock(event.mutex);
    mark = event.mark;
  }
  const auto own = stream->queue->recording();
  if (mark.recording && mark.recording->is_running()) {
    mark.recording->wait(stream->queue, mark.number);
    return true;
  }
  if (own) {
    own->spoil();
    throw_capture_error(CaptureFailure::isolation,
                        "a stream that is capturing cannot wait for an event that was not recorded "
                        "in the same capture");
  }
  if (mark.recording) check_real(event);
  return false;
}

}  // namespace

StreamHandle CpuDriver::create_stream(int device, const StreamOptions&) {
  check_device(device);
  return new DriverStream{std::make_shared<Stream>(device, scheduler_)};
}

StreamHandle CpuDriver::adopt_stream(int device, void* native) {
  check_device(device);
  throw DeviceError(fmt::format(
      "the stream {} of another library cannot be used on cpu:{}: CPU devices have no native "
      "streams; make one with cupola.cuda.Stream()",
      native, device));
}

void CpuDriver::destroy_stream(StreamHandle stream) noexcept {
  if (const auto recording = stream->queue->recording()) recording->drop(*stream->queue);
  delete stream;
}

void CpuDriver::synchronize(StreamHandle stream) {
  if (const auto recording = stream->queue->recording()) {
    recording->spoil();
    refuse_in_capture("to wait for a stream");
  }
  stream->queue->synchronize();
}

bool CpuDriver::is_idle(StreamHandle stream) {
  const auto recording = stream->queue->recording();
  if (recording) recording->spoil();
  return !recording && stream->queue->is_idle();
}

EventHandle CpuDriver::create_event(int device, const EventOptions& options) {
  check_device(device);
  if (options.interprocess && options.timing) {
    throw ValueError("an event for several processes has no timing: give disable_timing=True");
  }
  return new DriverEvent(options);
}

void CpuDriver::destroy_event(EventHandle event) noexcept { delete event; }

void CpuDriver::record(EventHandle event, StreamHandle stream) {
  if (const auto recording = stream->queue->recording()) {
    const Mark mark{recording, recording->mark(*stream->queue)};
    const std::lock_guard lock(event->mutex);
    event->mark = mark;
    return;
  }
  auto completion = stream->queue->record();
  if (!completion && event->options.timing) {
    completion = std::make_shared<Completion>();
    completion->complete();
  }
  const std::lock_guard lock(event->mutex);
  event->last = std::move(completion);
  event->recorded = true;
  event->mark = {};
}

void CpuDriver::wait(StreamHandle stream, EventHandle event) {
  if (wait_in_capture(stream, *event)) return;
  stream->queue->wait(event->current());
}

bool CpuDriver::is_complete(EventHandle event) {
  check_real(*event);
  const auto completion = event->current();
  return !completion || completion->is_complete();
}

void CpuDriver::synchronize(EventHandle event) {
  check_real(*event);
  if (const auto completion = event->current()) completion->wait();
}

void CpuDriver::run_beside(std::function<void(Done)> begin, StreamHandle stream) {
  if (stream->queue->recording()) refuse_in_capture("to run a function beside a stream");
  auto finished = std::make_shared<Completion>();
  stream->queue->enqueue(
      [begin = std::move(begin), finished] { begin([finished] { finished->complete(); }); });
  stream->queue->wait_for_function(finished);
}

double CpuDriver::elapsed_milliseconds(EventHandle first, EventHandle last) {
  const auto begin = completion_time(*first, "first");
  const auto end = completion_time(*last, "last");
  return std::chrono::duration<double, std::milli>(end - begin).count();
}

}  // namespace cupola::cpu
