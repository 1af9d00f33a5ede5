#pragma once
// Work of streams that is recorded instead of run.

#include <memory>

#include "driver/graph.h"
#include "driver/handles.h"
#include "driver/lacking.h"

namespace cupola {

// Graphs are made by capturing streams.
class Captures {
 public:
  virtual ~Captures() = default;

  // From here on work that is put on the stream is recorded instead of run. A stream joins the
  // capture by waiting for an event that was recorded in it, which also orders the two, and must be
  // waited for before the end. Calls that read on the host or wait for the stream, copies from and
  // to callers and functions that run beside it throw CaptureError (unsupported); synchronize() and
  // is_idle(), which is false then, spoil the capture as well. So does a wait for an event that
  // was not recorded in it (isolation). Memory may be allocated and given back meanwhile; that is
  // no part of the capture.
  // Throws CaptureError where the stream cannot be captured, or is being captured already.
  virtual void begin_capture(StreamHandle /*stream*/) { throw_lacking("graphs"); }
  virtual bool is_capturing(StreamHandle /*stream*/) { return false; }
  // Of the stream that the capture began on. All of its streams leave the capture, whatever is
  // thrown: CaptureError for one that was spoilt, and for streams that joined and were not waited
  // for. Of another stream the call throws and spoils the capture.
  virtual std::shared_ptr<WorkGraph> end_capture(StreamHandle /*stream*/) {
    throw_lacking("graphs");
  }
};

}  // namespace cupola
