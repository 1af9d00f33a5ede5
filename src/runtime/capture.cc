#include "runtime/capture.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/counters.h"
#include "cupola/error.h"

namespace cupola {

Capture::Capture(const std::shared_ptr<StreamState>& origin, CaptureMode mode)
    : mode_(mode), thread_(std::this_thread::get_id()) {
  earlier_.push_back({origin, origin->submitted()});
  streams_.push_back(origin);
}

void Capture::begin(const std::shared_ptr<StreamState>& stream, CaptureMode mode) {
  if (stream->is_foreign()) {
    throw_capture_error(CaptureFailure::unsupported,
                        "the stream belongs to another library, which has to capture it");
  }
  const auto capture = std::make_shared<Capture>(stream, mode);
  stream->mark_uncaptured();
  stream->driver().begin_capture(stream->handle());
  stream->set_capture(capture);
  running_count_.fetch_add(1);
}

std::vector<std::shared_ptr<StreamState>> Capture::streams() const {
  const std::lock_guard lock(mutex_);
  return streams_;
}

UseRecord& Capture::uses_of(const std::shared_ptr<Storage>& storage) {
  const std::lock_guard lock(mutex_);
  Used& used = used_[storage.get()];
  if (!used.storage) used.storage = storage;
  return used.uses;
}

void Capture::note_write(const Storage& storage) {
  const std::lock_guard lock(mutex_);
  used_.at(&storage).is_written = true;
}

void Capture::require(const std::shared_ptr<StreamState>& stream, std::uint64_t sequence) {
  const std::lock_guard lock(mutex_);
  for (StorageUse& use : earlier_) {
    if (use.stream->id() != stream->id()) continue;
    use.sequence = std::max(use.sequence, sequence);
    return;
  }
  earlier_.push_back({stream, sequence});
}

void Capture::keep(Retired thing) {
  const std::lock_guard lock(mutex_);
  kept_.push_back(std::move(thing));
}

void Capture::join(const std::shared_ptr<StreamState>& later, EventHandle event) {
  const std::shared_ptr<Capture> other = later->capture();
  if (!other) later->mark_uncaptured();
  later->driver().wait(later->handle(), event);  // which throws where it is another capture
  if (other) return;
  require(later, later->submitted());
  later->set_capture(shared_from_this());
  const std::lock_guard lock(mutex_);
  streams_.push_back(later);
}

void Capture::order(StreamState& later, StreamState& earlier) {
  Driver& driver = later.driver();
  EventHandle event = driver.create_event(later.device().index());
  count(Counter::events);
  keep({[&driver, event] { driver.destroy_event(event); }, 0});
  driver.record(event, earlier.handle());
  driver.wait(later.handle(), event);
}

CapturedParts Capture::leave() {
  is_running_.store(false, std::memory_order_release);
  running_count_.fetch_sub(1);
  CapturedParts parts;
  const std::lock_guard lock(mutex_);
  for (const auto& stream : streams_) stream->set_capture(nullptr);
  for (auto& [pointer, used] : used_) {
    parts.storages.push_back({std::move(used.storage), used.is_written});
  }
  used_.clear();
  parts.earlier = std::move(earlier_);
  parts.kept = std::move(kept_);
  return parts;
}

Capture::Ended Capture::end(const std::shared_ptr<StreamState>& stream) {
  if (mode_ != CaptureMode::relaxed && !is_of_this_thread()) {
    throw_capture_error(CaptureFailure::wrong_thread,
                        "a capture that is not relaxed ends in the thread that began it");
  }
  if (streams().front()->id() != stream->id()) {
    stream->driver().end_capture(stream->handle());  // throws
  }
  std::shared_ptr<WorkGraph> graph;
  try {
    graph = stream->driver().end_capture(stream->handle());
  } catch (...) {
    const CapturedParts parts = leave();
    for (const Retired& thing : parts.kept) thing.release();
    throw;
  }
  return {std::move(graph), leave()};
}

void check_not_capturing(const StreamState& stream, const char* what) {
  if (stream.is_capturing()) refuse_in_capture(what);
}

}  // namespace cupola
