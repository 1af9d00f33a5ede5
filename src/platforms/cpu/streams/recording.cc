#include "platforms/cpu/streams/recording.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "driver/graph.h"
#include "platforms/cpu/streams/stream.h"

namespace cupola::cpu {

Recording::Recording(std::shared_ptr<Stream> origin) { add_lane(origin); }

void Recording::begin(const std::shared_ptr<Stream>& origin) {
  if (origin->recording()) {
    throw_capture_error(CaptureFailure::illegal_state, "the stream is capturing already");
  }
  origin->set_recording(std::make_shared<Recording>(origin));
}

// With the lock held, as all that follow.
std::size_t Recording::lane_of(const Stream& stream) {
  const auto found = std::find_if(lanes_.begin(), lanes_.end(),
                                  [&](const Lane& lane) { return lane.stream.get() == &stream; });
  return static_cast<std::size_t>(found - lanes_.begin());
}

std::size_t Recording::add_lane(const std::shared_ptr<Stream>& stream) {
  lanes_.push_back({stream, 0, {}, {}});
  return lanes_.size() - 1;
}

void Recording::merge(Clock& into, const Clock& other) {
  into.resize(std::max(into.size(), other.size()));
  for (std::size_t i = 0; i < other.size(); ++i) into[i] = std::max(into[i], other[i]);
}

void Recording::add_step(const Stream& stream, RecordedStep step) {
  step.lane = lane_of(stream);
  Lane& lane = lanes_[step.lane];
  ++lane.count;
  lane.after.resize(std::max(lane.after.size(), step.lane + 1));
  lane.after[step.lane] = lane.count;
  if (step.name.empty()) step.name = std::exchange(lane.next_name, "");
  steps_.push_back(std::move(step));
}

void Recording::add(const Stream& stream, std::function<void(Stream&)> work) {
  const std::lock_guard lock(mutex_);
  add_step(stream, {.kind = RecordedStep::Kind::work, .lane = 0, .work = std::move(work)});
}

void Recording::add_graph(const Stream& stream, std::function<void(StreamHandle)> launch) {
  const std::lock_guard lock(mutex_);
  add_step(
      stream,
      {.kind = RecordedStep::Kind::graph, .lane = 0, .on = std::move(launch), .name = "graph"});
}

void Recording::add_note(const Stream& stream, std::function<void(StreamHandle)> note) {
  const std::lock_guard lock(mutex_);
  steps_.push_back(
      {.kind = RecordedStep::Kind::note, .lane = lane_of(stream), .on = std::move(note)});
}

void Recording::name_next(const Stream& stream, std::string name) {
  const std::lock_guard lock(mutex_);
  lanes_[lane_of(stream)].next_name = std::move(name);
}

std::size_t Recording::mark(const Stream& stream) {
  const std::lock_guard lock(mutex_);
  const std::size_t number = lane_of(stream);
  marks_.push_back(lanes_[number].after);
  const std::size_t event = marks_.size() - 1;
  steps_.push_back({.kind = RecordedStep::Kind::record, .lane = number, .event = event});
  return event;
}

void Recording::wait(const std::shared_ptr<Stream>& stream, std::size_t mark) {
  const auto other = stream->recording();
  if (other && other.get() != this) {
    spoil();
    other->spoil();
    throw_capture_error(CaptureFailure::merge,
                        "a stream that is capturing cannot join another capture");
  }
  const std::lock_guard lock(mutex_);
  std::size_t number = lane_of(*stream);
  if (number == lanes_.size()) {
    number = add_lane(stream);
    stream->set_recording(shared_from_this());
  }
  merge(lanes_[number].after, marks_[mark]);
  steps_.push_back({.kind = RecordedStep::Kind::wait, .lane = number, .event = mark});
}

void Recording::spoil() {
  const std::lock_guard lock(mutex_);
  is_spoilt_ = true;
}

void Recording::drop(const Stream& stream) {
  const std::lock_guard lock(mutex_);
  is_spoilt_ = true;
  const std::size_t number = lane_of(stream);
  if (number == 0) return leave();
  lanes_[number].stream->set_recording(nullptr);
}

bool Recording::is_running() const {
  const std::lock_guard lock(mutex_);
  return is_running_;
}

void Recording::leave() {
  is_running_ = false;
  for (const Lane& lane : lanes_) lane.stream->set_recording(nullptr);
}

bool Recording::is_joined() const {
  const Clock& known = lanes_.front().after;
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    if ((i < known.size() ? known[i] : 0) < lanes_[i].count) return false;
  }
  return true;
}

RecordedWork Recording::end(const Stream& stream) {
  const std::lock_guard lock(mutex_);
  if (lane_of(stream) != 0) {
    is_spoilt_ = true;
    throw_capture_error(CaptureFailure::unmatched,
                        "the capture began on another stream and ends there");
  }
  leave();
  if (is_spoilt_) {
    throw_capture_error(CaptureFailure::invalidated,
                        "the capture was spoilt by an earlier call that is not allowed in one");
  }
  if (!is_joined()) {
    throw_capture_error(CaptureFailure::unjoined,
                        "a stream joined the capture and its last work there was not waited for: "
                        "record an event on it and let the first stream wait for that");
  }
  return {std::move(steps_), lanes_.size(), marks_.size()};
}

}  // namespace cupola::cpu
