#pragma once
// Work of a stream that is recorded once and launched many times, without being planned again.

#include <memory>
#include <string>

#include "cupola/runtime.h"
#include "cupola/stream_options.h"

namespace cupola {

class GraphState;

// What a capture has recorded; a handle. It keeps the arrays that the work uses alive, and so does
// a launch until it is done. What was made in the capture has its values after a launch; what was
// there before is read and written where it lies, as it is at that time.
class Graph {
 public:
  explicit Graph(std::shared_ptr<GraphState> state) : state_(std::move(state)) {}
  const Device& device() const;
  // Asynchronous, in the order of the stream, and after the uses of its arrays on all others.
  // Throws DeviceError for a stream of another device. On a stream that is being captured it
  // becomes a part of that capture.
  void launch(const Stream& stream) const;
  // Prepares the next launch on that stream.
  void upload(const Stream& stream) const;
  // Its steps in the language of Graphviz.
  std::string to_dot(bool verbose = false) const;
  // CUgraph and CUgraphExec; null on the CPU platform.
  void* native_graph() const;
  void* native_executable() const;

 private:
  std::shared_ptr<GraphState> state_;
};

// From here on work on the stream, and on streams that wait for events recorded on it, is recorded
// instead of run. What was asked for before is under way. Throws CaptureError: streams of device
// sets and of other libraries cannot be captured.
void begin_capture(const Stream& stream, CaptureMode mode = CaptureMode::relaxed);
bool is_capturing(const Stream& stream);
// Throws CaptureError for a capture that failed, that another stream began, or where a stream that
// joined it was not waited for.
Graph end_capture(const Stream& stream);

}  // namespace cupola
