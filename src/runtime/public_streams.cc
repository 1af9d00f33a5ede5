// The classes Stream, NullStream and Event of cupola/runtime.h.

#include <algorithm>
#include <vector>

#include "cupola/error.h"
#include "driver/registry.h"
#include "runtime/capture.h"
#include "runtime/completion.h"
#include "runtime/event.h"
#include "runtime/host_functions.h"
#include "runtime/live_streams.h"

namespace cupola {

Stream Stream::current(const Device& device) { return Stream(current_stream(device)); }

Stream Stream::of_thread(const Device& device) { return Stream(thread_stream(device)); }

Stream Stream::create(const Device& device, const StreamOptions& options) {
  return Stream(make_stream(device, options));
}

Stream Stream::adopt(const Device& device, void* native, std::shared_ptr<void> owner) {
  return Stream(adopt_stream(device, native, std::move(owner)));
}

const Device& Stream::device() const { return state_->device(); }
std::uint64_t Stream::id() const { return state_->id(); }
bool Stream::is_foreign() const { return state_->is_foreign(); }

PriorityRange stream_priorities(const Device& device) {
  check_device(device);
  const auto [least, greatest] = driver(device).stream_priorities(device.index());
  return {least, greatest};
}

int Stream::priority() const {
  if (state_->options().priority == 0) return 0;  // every device has it: nothing is asked
  const PriorityRange range = stream_priorities(device());
  return std::clamp(state_->options().priority, range.greatest, range.least);
}

bool Stream::is_non_blocking() const { return state_->options().non_blocking; }

void Stream::synchronize() const {
  if (state_->is_capturing()) return state_->driver().synchronize(state_->handle());  // throws
  state_->compute_deferred();
  if (state_->is_foreign()) state_->driver().synchronize(state_->handle());
  state_->synchronize();
  drain(*state_);
  state_->throw_late_errors();
}

bool Stream::is_idle() const {
  if (state_->is_capturing()) return state_->driver().is_idle(state_->handle());
  state_->compute_deferred();
  if (state_->is_foreign() && !state_->driver().is_idle(state_->handle())) return false;
  return state_->is_idle();
}

void Stream::use() const { choose_stream(device(), state_); }
void Stream::wait_for(const Event& event) const {
  state_->compute_deferred();
  event.state().make_wait(*state_);
}

void Stream::wait_for(const Stream& earlier) const {
  earlier.state_->compute_deferred();
  state_->compute_deferred();
  if (earlier.is_foreign()) {
    state_->wait_for_owner_of(*earlier.state_);
  } else {
    state_->wait_for(*earlier.state_);
  }
}

void Stream::launch_host_function(std::function<void()> function) const {
  state_->compute_deferred();
  cupola::launch_host_function(state_, std::move(function));
}

void* Stream::native_handle() const {
  state_->compute_deferred();
  return state_->driver().native_handle(state_->handle());
}

namespace {

// Whether another thread captures the stream. Throws where this one does.
bool is_captured_elsewhere(const StreamState& stream) {
  const std::shared_ptr<Capture> capture = stream.capture();
  if (!capture) return false;
  if (!capture->is_of_this_thread()) return true;
  throw_capture_error(CaptureFailure::implicit,
                      "the null stream stands for a stream that is capturing: capture one that was "
                      "made with non_blocking=True");
}

// The streams that the null stream stands for, with what was asked for on them under way.
std::vector<StreamPointer> joined_streams(const Device& device) {
  std::vector<StreamPointer> joined = live_streams(device);
  std::erase_if(joined, [](const StreamPointer& each) {
    return !each->joins_null_stream() || is_captured_elsewhere(*each);
  });
  for (const StreamPointer& each : joined) each->compute_deferred();
  return joined;
}

}  // namespace

Stream NullStream::gathered() const {
  const Stream own = Stream::of_thread(device_);
  for (const StreamPointer& each : joined_streams(device_)) {
    if (each->id() != own.id() && !each->is_idle()) own.state()->wait_for(*each);
  }
  return own;
}

bool NullStream::is_capturing() const {
  joined_streams(device_);
  return false;
}

void NullStream::synchronize() const {
  const std::vector<StreamPointer> joined = joined_streams(device_);
  for (const StreamPointer& each : joined) {
    each->synchronize();
    drain(*each);
  }
  for (const StreamPointer& each : joined) each->throw_late_errors();
}

bool NullStream::is_idle() const {
  const std::vector<StreamPointer> joined = joined_streams(device_);
  return std::all_of(joined.begin(), joined.end(),
                     [](const StreamPointer& each) { return each->is_idle(); });
}

void NullStream::wait_for(const Event& event) const {
  event.state().make_wait(*thread_stream(device_));
  for (const StreamPointer& each : joined_streams(device_)) event.state().make_wait(*each);
}

Event::Event(const EventOptions& options) : state_(std::make_shared<EventState>(options)) {}
void Event::record(const Stream& stream) const {
  stream.state()->compute_deferred();
  state_->record(*stream.state());
}
bool Event::is_complete() const { return state_->is_complete(); }
void Event::synchronize() const { state_->synchronize(); }
void* Event::native_handle(const Device& device) const { return state_->native_handle(device); }
std::optional<Device> Event::device() const { return state_->device(); }

double elapsed_milliseconds(const Event& first, const Event& last) {
  return EventState::elapsed_milliseconds(first.state(), last.state());
}

}  // namespace cupola
