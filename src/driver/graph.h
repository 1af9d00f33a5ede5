#pragma once
// Work of streams that is recorded once and launched again and again.

#include <cstdint>
#include <string>

#include "driver/module.h"

namespace cupola {

// Numbers of the CUDA runtime.
enum class CaptureFailure : std::uint16_t {
  illegal_state = 401,  // the stream is not being captured, or is already
  unsupported = 900,
  invalidated = 901,
  merge = 902,
  unmatched = 903,  // the stream joined the capture of another
  unjoined = 904,
  isolation = 905,
  implicit = 906,
  captured_event = 907,
  wrong_thread = 908
};
// CaptureError with the runtime's name and number of the failure.
[[noreturn]] void throw_capture_error(CaptureFailure failure, const std::string& what);
// For a call that reads or waits on the host: what cannot be recorded. The capture goes on.
[[noreturn]] void refuse_in_capture(const std::string& what);

// What end_capture() made: the recorded work with the addresses that it was recorded with. Memory
// that it uses must outlive it, and events and streams of the capture need not.
class WorkGraph {
 public:
  // No launch may be under way.
  virtual ~WorkGraph() = default;
  // Makes the next launch cheaper, in stream order.
  virtual void upload(StreamHandle stream) = 0;
  // All of it, in stream order and after the launches before, on any stream of the same device.
  // Asynchronous. On a stream that is being captured it becomes a part of that capture.
  virtual void launch(StreamHandle stream) = 0;
  // The steps and their order, in the language of Graphviz.
  virtual std::string to_dot(bool verbose) const = 0;
  // CUgraph and CUgraphExec; null on the CPU.
  virtual void* native_graph() const { return nullptr; }
  virtual void* native_executable() const { return nullptr; }
};

}  // namespace cupola
