#include "driver/graph.h"

#include <fmt/format.h>

#include "cupola/error.h"

namespace cupola {
namespace {

const char* name_of(CaptureFailure failure) {
  switch (failure) {
    case CaptureFailure::illegal_state:
      return "cudaErrorIllegalState";
    case CaptureFailure::unsupported:
      return "cudaErrorStreamCaptureUnsupported";
    case CaptureFailure::invalidated:
      return "cudaErrorStreamCaptureInvalidated";
    case CaptureFailure::merge:
      return "cudaErrorStreamCaptureMerge";
    case CaptureFailure::unmatched:
      return "cudaErrorStreamCaptureUnmatched";
    case CaptureFailure::unjoined:
      return "cudaErrorStreamCaptureUnjoined";
    case CaptureFailure::isolation:
      return "cudaErrorStreamCaptureIsolation";
    case CaptureFailure::implicit:
      return "cudaErrorStreamCaptureImplicit";
    case CaptureFailure::captured_event:
      return "cudaErrorCapturedEvent";
    case CaptureFailure::wrong_thread:
      return "cudaErrorStreamCaptureWrongThread";
  }
  return "";
}

}  // namespace

void throw_capture_error(CaptureFailure failure, const std::string& what) {
  throw CaptureError(fmt::format("{}: {}", name_of(failure), what), static_cast<int>(failure));
}

void refuse_in_capture(const std::string& what) {
  throw_capture_error(CaptureFailure::unsupported,
                      fmt::format("{}, which cannot be recorded: the stream is capturing; do it "
                                  "before begin_capture() or after end_capture()",
                                  what));
}

}  // namespace cupola
