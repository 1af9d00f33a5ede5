// Captures, and graphs of what was captured: copies, fills, functions of the host and launches,
// which a launch of the graph does one after the other.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "fake_cuda.h"

using namespace fake_cuda;

namespace {

struct Capture {
  CUstream origin;
  std::vector<std::function<void(CUstream)>> work;
  std::vector<std::function<void(CUstream)>> child;  // of a node that no stream comes after yet
  std::map<CUstream, std::size_t> last;              // work of each stream
  std::map<CUstream, std::map<CUstream, std::size_t>> before;  // that each one comes after
};
using CapturePointer = std::shared_ptr<Capture>;

struct Mark {
  CapturePointer capture;
  std::map<CUstream, std::size_t> after;
};

struct State {
  std::mutex mutex;
  std::map<CUstream, CapturePointer> streams;
  std::map<CUevent, Mark> events;
  std::set<CUevent> spent;  // were last recorded in a capture that has ended
};
State& state() {
  static State& instance = *new State;
  return instance;
}

CapturePointer capture_of(CUstream stream) {
  const auto found = state().streams.find(stream);
  return found == state().streams.end() ? nullptr : found->second;
}

void merge(std::map<CUstream, std::size_t>& into, const std::map<CUstream, std::size_t>& other) {
  for (const auto& [stream, count] : other) into[stream] = std::max(into[stream], count);
}

}  // namespace

bool fake_cuda::captured(CUstream stream, std::function<void(CUstream)> work) {
  const std::lock_guard lock(state().mutex);
  const CapturePointer capture = capture_of(stream);
  if (!capture) return false;
  capture->work.push_back(std::move(work));
  capture->before[stream][stream] = ++capture->last[stream];
  return true;
}

bool fake_cuda::captured_record(CUevent event, CUstream stream) {
  const std::lock_guard lock(state().mutex);
  state().events.erase(event);
  state().spent.erase(event);
  const CapturePointer capture = capture_of(stream);
  if (capture) state().events[event] = {capture, capture->before[stream]};
  return capture != nullptr;
}

bool fake_cuda::captured_wait(CUstream stream, CUevent event) {
  const std::lock_guard lock(state().mutex);
  const auto found = state().events.find(event);
  if (found == state().events.end()) return false;
  const Mark& mark = found->second;
  merge(mark.capture->before[stream], mark.after);
  state().streams[stream] = mark.capture;
  return true;
}

bool fake_cuda::is_spent(CUevent event) {
  const std::lock_guard lock(state().mutex);
  return state().spent.contains(event);
}

void fake_cuda::forget(CUevent event) {
  const std::lock_guard lock(state().mutex);
  state().events.erase(event);
  state().spent.erase(event);
}

bool fake_cuda::is_captured(CUstream stream) {
  const std::lock_guard lock(state().mutex);
  return capture_of(stream) != nullptr;
}

CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode) {
  if (const CUresult refused = on_stream("cuStreamBeginCapture", stream)) return refused;
  const std::lock_guard lock(state().mutex);
  const auto handle = reinterpret_cast<std::size_t>(stream);
  if (handle <= 1) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (capture_of(stream)) return CUDA_ERROR_ILLEGAL_STATE;
  auto made = std::make_shared<Capture>();
  made->origin = stream;
  state().streams[stream] = std::move(made);
  return CUDA_SUCCESS;
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  *graph = nullptr;
  if (const CUresult refused = on_stream("cuStreamEndCapture", stream)) return refused;
  const std::lock_guard lock(state().mutex);
  const CapturePointer capture = capture_of(stream);
  if (!capture) return CUDA_ERROR_ILLEGAL_STATE;
  if (capture->origin != stream) return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  std::erase_if(state().streams, [&](const auto& entry) { return entry.second == capture; });
  std::erase_if(state().events, [&](const auto& entry) {
    const bool is_its = entry.second.capture == capture;
    if (is_its) state().spent.insert(entry.first);
    return is_its;
  });
  for (const auto& [each, count] : capture->last) {
    if (capture->before[stream][each] < count) return CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
  }
  *graph = make_graph(std::move(capture->work));
  return CUDA_SUCCESS;
}

// By their names of CUDA 12, which the header calls by others.
#undef cuStreamUpdateCaptureDependencies
extern "C" {
CUresult cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t*,
                                   CUgraph* graph, const CUgraphNode** dependencies,
                                   std::size_t* count) {
  if (const CUresult refused = on_stream("cuStreamGetCaptureInfo", stream)) return refused;
  const std::lock_guard lock(state().mutex);
  const CapturePointer capture = capture_of(stream);
  *status = capture ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
  *graph = reinterpret_cast<CUgraph>(capture.get());
  *dependencies = nullptr;
  *count = 0;
  return CUDA_SUCCESS;
}
CUresult cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode*, std::size_t, unsigned) {
  if (const CUresult refused = on_stream("cuStreamUpdateCaptureDependencies", stream)) {
    return refused;
  }
  const std::lock_guard lock(state().mutex);
  const CapturePointer capture = capture_of(stream);
  if (!capture) return CUDA_ERROR_ILLEGAL_STATE;
  for (auto& work : std::exchange(capture->child, {})) capture->work.push_back(std::move(work));
  capture->before[stream][stream] = ++capture->last[stream];
  return CUDA_SUCCESS;
}
}
CUresult cuGraphAddChildGraphNode(CUgraphNode* node, CUgraph graph, const CUgraphNode*, std::size_t,
                                  CUgraph child) {
  const std::lock_guard lock(state().mutex);
  reinterpret_cast<Capture*>(graph)->child = work_of(child);
  *node = reinterpret_cast<CUgraphNode>(graph);
  return enter("cuGraphAddChildGraphNode");
}

CUresult cuGraphUpload(CUgraphExec, CUstream stream) { return on_stream("cuGraphUpload", stream); }

CUresult cuGraphDebugDotPrint(CUgraph, const char* path, unsigned int flags) {
  std::FILE* const file = std::fopen(path, "w");
  if (!file) return CUDA_ERROR_OPERATING_SYSTEM;
  std::fprintf(file, "digraph fake {%s}\n", flags != 0 ? " // verbose " : "");
  std::fclose(file);
  return enter("cuGraphDebugDotPrint");
}
