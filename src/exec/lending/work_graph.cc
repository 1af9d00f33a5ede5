#include "exec/lending/work_graph.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "exec/evaluation/deferral.h"
#include "exec/evaluation/evaluator.h"
#include "exec/launch/storage_lock.h"
#include "exec/launch/use_order.h"
#include "memory/pressure/spill.h"
#include "runtime/live_streams.h"
#include "runtime/on_stream.h"

namespace cupola {

namespace {

// All of it, as bytes.
Array whole(const std::shared_ptr<Storage>& storage) {
  const auto bytes = static_cast<std::int64_t>(storage->bytes());
  return make_stored(DType::uint8, Dims{bytes}, storage, Layout{Dims{1}, 0});
}

void compute_deferred_of(const StreamPointer& stream) {
  const OnStream current(stream->device(), stream);
  stream->compute_deferred();
}

}  // namespace

GraphState::GraphState(const Device& device, Capture::Ended ended)
    : device_(device),
      graph_(std::move(ended.graph)),
      earlier_(std::move(ended.parts.earlier)),
      kept_(std::move(ended.parts.kept)) {
  for (const CapturedParts::Used& used : ended.parts.storages) {
    lock_at_home_for_good(*used.storage);  // the addresses are recorded
    (used.is_written ? writes_ : reads_).push_back(whole(used.storage));
  }
}

GraphState::~GraphState() {
  auto rest = std::make_shared<std::pair<std::shared_ptr<WorkGraph>, std::vector<Retired>>>(
      std::move(graph_), std::move(kept_));
  retire(streams_, {[rest = std::move(rest)] {
                      rest->first = nullptr;
                      for (const Retired& thing : rest->second) thing.release();
                      rest->second.clear();
                    },
                    0});
}

void GraphState::note_stream(const std::shared_ptr<StreamState>& stream) {
  const std::lock_guard lock(mutex_);
  if (std::find(streams_.begin(), streams_.end(), stream) == streams_.end()) {
    streams_.push_back(stream);
  }
}

void GraphState::launch(const std::shared_ptr<StreamState>& stream) {
  check_same_device(*stream, device_, "the graph");
  // They get what was there before.
  for (const Array& array : writes_) compute_readers(array);
  note_stream(stream);
  if (const std::shared_ptr<Capture> capture = stream->capture()) {
    capture->keep({[self = shared_from_this()] {}, 0});
  }
  OrderedUse use(stream, reads_, writes_);
  for (const StorageUse& work : earlier_) stream->wait_for(*work.stream, work.sequence);
  graph_->launch(stream->handle());
  use.record();
}

void GraphState::upload(const std::shared_ptr<StreamState>& stream) {
  check_same_device(*stream, device_, "the graph");
  note_stream(stream);
  graph_->upload(stream->handle());
  stream->advance();
}

void settle(const Array& array) {
  if (is_stored(array)) return;
  const StreamPointer& stream = array.state().stream;
  if (!stream) return settle_inputs(array);
  const std::shared_ptr<Capture> own = current_stream(array.device())->capture();
  const std::shared_ptr<Capture> theirs = stream->capture();
  if (theirs == own) return;
  if (theirs) {
    throw_capture_error(CaptureFailure::isolation,
                        "an array of a capture has no value before its graph was launched: use it "
                        "on the streams of the capture, or after end_capture() and launch()");
  }
  evaluate(array);
}

void settle_inputs(const Array& pending) {
  if (const auto computation = pending_computation(pending)) {
    for (const Array& input : computation->inputs) settle(input);
  }
}

void begin_capture(const Stream& stream, CaptureMode mode) {
  // What was asked for so far is no part of the capture.
  for (const StreamPointer& each : live_streams(stream.device().platform())) {
    if (!each->is_capturing()) compute_deferred_of(each);
  }
  Capture::begin(stream.state(), mode);
}

bool is_capturing(const Stream& stream) { return stream.state()->is_capturing(); }

Graph end_capture(const Stream& stream) {
  const StreamPointer& state = stream.state();
  const std::shared_ptr<Capture> capture = state->capture();
  if (!capture) throw_capture_error(CaptureFailure::illegal_state, "the stream is not capturing");
  for (const StreamPointer& each : capture->streams()) compute_deferred_of(each);
  return Graph(std::make_shared<GraphState>(stream.device(), capture->end(state)));
}

const Device& Graph::device() const { return state_->device(); }

void Graph::launch(const Stream& stream) const {
  stream.state()->compute_deferred();
  state_->launch(stream.state());
}

void Graph::upload(const Stream& stream) const { state_->upload(stream.state()); }

std::string Graph::to_dot(bool verbose) const { return state_->graph().to_dot(verbose); }

void* Graph::native_graph() const { return state_->graph().native_graph(); }
void* Graph::native_executable() const { return state_->graph().native_executable(); }

}  // namespace cupola
