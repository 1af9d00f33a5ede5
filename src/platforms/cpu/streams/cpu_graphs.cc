// Graphs of the CPU platform: what was recorded is put on streams again.

#include <fmt/format.h>

#include <mutex>
#include <utility>
#include <vector>

#include "base/threads/mutex.h"
#include "cupola/error.h"
#include "platforms/cpu/device/cpu_driver.h"
#include "platforms/cpu/streams/handles.h"
#include "platforms/cpu/streams/recording.h"

namespace cupola::cpu {
namespace {

using Kind = RecordedStep::Kind;

// Each lane but the first has a stream of its own, as it had when it was recorded.
class CpuGraph final : public WorkGraph, public std::enable_shared_from_this<CpuGraph> {
 public:
  CpuGraph(CpuDriver& driver, int device, RecordedWork work)
      : driver_(driver), work_(std::move(work)) {
    try {
      for (std::size_t i = 1; i < work_.lanes; ++i) lanes_.push_back(driver.create_stream(device));
      const std::size_t events = work_.events + (lanes_.empty() ? 0 : 1);
      while (events_.size() < events) events_.push_back(driver.create_event(device));
    } catch (...) {
      release();
      throw;
    }
  }
  ~CpuGraph() override { release(); }

  void upload(StreamHandle stream) override {
    if (stream->queue->recording()) refuse_in_capture("to upload a graph");
  }

  void launch(StreamHandle stream) override {
    if (const auto recording = stream->queue->recording()) {
      return recording->add_graph(
          *stream->queue, [self = shared_from_this()](StreamHandle on) { self->launch(on); });
    }
    const std::lock_guard lock(mutex_);
    try {
      fork(stream);
      for (const RecordedStep& step : work_.steps) run(step, lane(step.lane, stream));
    } catch (...) {
      wait_for_lanes();  // which nothing else may be waiting for
      throw;
    }
  }

  std::string to_dot(bool verbose) const override;

 private:
  StreamHandle lane(std::size_t number, StreamHandle first) const {
    return number == 0 ? first : lanes_[number - 1];
  }
  // Nothing of the other lanes begins before the launch.
  void fork(StreamHandle stream) {
    if (lanes_.empty()) return;
    driver_.record(events_.back(), stream);
    for (StreamHandle each : lanes_) driver_.wait(each, events_.back());
  }
  void run(const RecordedStep& step, StreamHandle stream) {
    switch (step.kind) {
      case Kind::work:
        return step.work(*stream->queue);
      case Kind::graph:
      case Kind::note:
        return step.on(stream);
      case Kind::record:
        return driver_.record(events_[step.event], stream);
      case Kind::wait:
        return driver_.wait(stream, events_[step.event]);
    }
  }
  void wait_for_lanes() noexcept {
    for (StreamHandle each : lanes_) {
      try {
        driver_.synchronize(each);
      } catch (const Error&) {
        // The device failed, and does nothing more.
      }
    }
  }
  void release() noexcept {
    for (EventHandle each : events_) driver_.destroy_event(each);
    for (StreamHandle each : lanes_) driver_.destroy_stream(each);
  }

  CpuDriver& driver_;
  const RecordedWork work_;
  Mutex mutex_;  // one launch at a time is put on the streams
  std::vector<StreamHandle> lanes_;
  std::vector<EventHandle> events_;
};

std::string CpuGraph::to_dot(bool verbose) const {
  std::string text = "digraph graph {\n";
  std::vector<std::vector<std::string>> before(work_.lanes);  // what the next work comes after
  std::vector<std::vector<std::string>> recorded(work_.events);
  std::size_t number = 0;
  for (const RecordedStep& step : work_.steps) {
    std::vector<std::string>& earlier = before[step.lane];
    if (step.kind == Kind::record) recorded[step.event] = earlier;
    if (step.kind == Kind::wait) {
      earlier.insert(earlier.end(), recorded[step.event].begin(), recorded[step.event].end());
    }
    if (step.kind != Kind::work && step.kind != Kind::graph) continue;
    const std::string id = fmt::format("step_{}", number++);
    text += fmt::format("  {} [label=\"{}{}\"];\n", id, step.name.empty() ? "work" : step.name,
                        verbose ? fmt::format("\\nstream {} of the capture", step.lane) : "");
    for (const std::string& each : earlier) text += fmt::format("  {} -> {};\n", each, id);
    earlier = {id};
  }
  return text + "}\n";
}

}  // namespace

void CpuDriver::begin_capture(StreamHandle stream) { Recording::begin(stream->queue); }

bool CpuDriver::is_capturing(StreamHandle stream) { return stream->queue->recording() != nullptr; }

std::shared_ptr<WorkGraph> CpuDriver::end_capture(StreamHandle stream) {
  const auto recording = stream->queue->recording();
  if (!recording) {
    throw_capture_error(CaptureFailure::illegal_state, "the stream is not capturing");
  }
  return std::make_shared<CpuGraph>(*this, stream->queue->device(), recording->end(*stream->queue));
}

}  // namespace cupola::cpu
