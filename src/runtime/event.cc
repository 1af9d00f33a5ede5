#include "runtime/event.h"

#include <fmt/format.h>

#include "base/counters.h"
#include "base/process/fork.h"
#include "cupola/error.h"
#include "driver/registry.h"
#include "runtime/capture.h"
#include "runtime/observer.h"
#include "runtime/stream.h"

namespace cupola {

EventState::EventState(const EventOptions& options)
    : options_(options), generation_(fork_generation()) {
  if (options.interprocess && options.timing) {
    throw ValueError("an event for several processes has no timing: give disable_timing=True");
  }
}

EventState::~EventState() {
  if (handle_ && !is_parents()) driver(*device_).destroy_event(handle_);
}

bool EventState::is_parents() const {
  return device_ && is_inherited(generation_) && !driver(*device_).traits().survives_fork;
}

EventHandle EventState::handle() {
  const std::lock_guard lock(mutex_);
  if (handle_ && is_parents()) check_not_forked(generation_);
  return handle_;
}

EventHandle EventState::open(const Device& device) {
  const std::lock_guard lock(mutex_);
  if (handle_ && is_parents()) check_not_forked(generation_);
  if (device_ && *device_ != device) {
    throw DeviceError(
        fmt::format("an event of {} cannot be recorded on a stream of {}: make one for each device",
                    device_->to_string(), device.to_string()));
  }
  if (!handle_) {
    handle_ = driver(device).create_event(device.index(), options_);
    device_ = device;
    generation_ = fork_generation();
    count(Counter::events);
  }
  return handle_;
}

void EventState::record(StreamState& stream) {
  const EventHandle event = open(stream.device());
  const std::shared_ptr<Capture> capture = stream.capture();
  stream.driver().record(event, stream.handle());
  const std::lock_guard lock(mutex_);
  recorded_ = !capture;
  is_captured_ = capture != nullptr;
  capture_ = capture;
}

std::shared_ptr<Capture> EventState::running_capture() {
  const std::lock_guard lock(mutex_);
  if (!is_captured_) return nullptr;
  const std::shared_ptr<Capture> capture = capture_.lock();
  if (capture && capture->is_running()) return capture;
  throw_capture_error(CaptureFailure::captured_event,
                      "the event was last recorded in a capture that is over: record it again");
}

void EventState::make_wait(StreamState& stream) {
  const EventHandle event = handle();
  if (!event) return;
  if (device_->platform() != stream.device().platform()) {
    throw DeviceError(fmt::format("a stream of {} cannot wait for an event of {}",
                                  stream.device().to_string(), device_->to_string()));
  }
  if (const std::shared_ptr<Capture> capture = running_capture()) {
    return capture->join(stream.shared_from_this(), event);
  }
  stream.driver().wait(stream.handle(), event);
}

bool EventState::is_complete() {
  const EventHandle event = handle();
  {
    const std::lock_guard lock(mutex_);
    if (is_captured_) return false;
  }
  return !event || driver(*device_).is_complete(event);
}

void EventState::synchronize() {
  const EventHandle event = handle();
  if (!event) return;
  const ObservedWait waiting;
  driver(*device_).synchronize(event);
}

void* EventState::native_handle(const Device& device) {
  const EventHandle known = handle();
  const EventHandle event = known ? known : open(device);
  return driver(*device_).native_handle(event);
}

std::optional<Device> EventState::device() {
  const std::lock_guard lock(mutex_);
  return device_;
}

double EventState::elapsed_milliseconds(EventState& first, EventState& last) {
  const auto require = [](EventState& event, const char* which) {
    const EventHandle handle = event.handle();
    const std::lock_guard lock(event.mutex_);
    if (!event.recorded_) {
      throw ValueError(
          fmt::format("no time between two events: the {} one was never recorded", which));
    }
    return handle;
  };
  const EventHandle begin = require(first, "first");
  const EventHandle end = require(last, "last");
  if (*first.device_ != *last.device_) {
    throw DeviceError(fmt::format("no time between an event of {} and one of {}",
                                  first.device_->to_string(), last.device_->to_string()));
  }
  return driver(*first.device_).elapsed_milliseconds(begin, end);
}

}  // namespace cupola
