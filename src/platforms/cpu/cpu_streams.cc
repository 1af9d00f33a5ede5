// Streams and events of the CPU platform.
#include <fmt/format.h>

#include <utility>

#include "cupola/error.h"
#include "platforms/cpu/cpu_driver.h"
#include "platforms/cpu/handles.h"

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

void CpuDriver::destroy_stream(StreamHandle stream) noexcept { delete stream; }

void CpuDriver::synchronize(StreamHandle stream) { stream->queue->synchronize(); }

bool CpuDriver::is_idle(StreamHandle stream) { return stream->queue->is_idle(); }

EventHandle CpuDriver::create_event(int device, const EventOptions& options) {
  check_device(device);
  if (options.interprocess && options.timing) {
    throw ValueError("an event for several processes has no timing: give disable_timing=True");
  }
  return new DriverEvent(options);
}

void CpuDriver::destroy_event(EventHandle event) noexcept { delete event; }

void CpuDriver::record(EventHandle event, StreamHandle stream) {
  auto completion = stream->queue->record();
  if (!completion && event->options.timing) {
    completion = std::make_shared<Completion>();
    completion->complete();
  }
  const std::lock_guard lock(event->mutex);
  event->last = std::move(completion);
  event->recorded = true;
}

void CpuDriver::wait(StreamHandle stream, EventHandle event) {
  stream->queue->wait(event->current());
}

bool CpuDriver::is_complete(EventHandle event) {
  const auto completion = event->current();
  return !completion || completion->is_complete();
}

void CpuDriver::synchronize(EventHandle event) {
  if (const auto completion = event->current()) completion->wait();
}

void CpuDriver::run_beside(std::function<void(Done)> begin, StreamHandle stream) {
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
