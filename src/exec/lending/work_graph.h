#pragma once
// Graphs as arrays see them: what the public Graph refers to.

#include <memory>
#include <string>
#include <vector>

#include "core/array_state.h"
#include "cupola/graph.h"
#include "runtime/capture.h"

namespace cupola {

// A launch counts as a use of every storage that the recorded work uses, so that it is ordered
// after uses on other streams, and they after it. The memory of these storages stays theirs, and
// where it is, as long as this lives and a launch is under way.
class GraphState : public std::enable_shared_from_this<GraphState> {
 public:
  GraphState(const Device& device, Capture::Ended ended);
  ~GraphState();
  GraphState(const GraphState&) = delete;
  GraphState& operator=(const GraphState&) = delete;

  const Device& device() const { return device_; }
  const WorkGraph& graph() const { return *graph_; }
  void launch(const std::shared_ptr<StreamState>& stream);
  void upload(const std::shared_ptr<StreamState>& stream);

 private:
  void note_stream(const std::shared_ptr<StreamState>& stream);

  const Device device_;
  std::shared_ptr<WorkGraph> graph_;
  std::vector<Array> reads_, writes_;  // the storages, whole
  std::vector<StorageUse> earlier_;
  std::vector<Retired> kept_;
  Mutex mutex_;
  std::vector<std::shared_ptr<StreamState>> streams_;  // with launches that may be under way
};

// Before a pending array is used on the calling thread's current stream: where it waits on a stream
// that is no part of the same capture, it is computed there. Throws CaptureError where it waits in
// a capture that the current stream is no part of.
void settle(const Array& array);
// Everything that a pending array is computed from.
void settle_inputs(const Array& pending);

}  // namespace cupola
