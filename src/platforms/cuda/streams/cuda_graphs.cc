// Captures and graphs of the CUDA platform.

#include <memory>
#include <string>
#include <utility>

#include "cupola/error.h"
#include "platforms/cuda/device/context.h"
#include "platforms/cuda/device/cuda_api.h"
#include "platforms/cuda/device/cuda_driver.h"
#include "platforms/cuda/streams/cuda_capture.h"
#include "platforms/cuda/streams/cuda_stream.h"
#include "platforms/cuda/streams/graph_text.h"

namespace cupola::cuda {
namespace {

constexpr int kFirstCaptureError = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
constexpr int kLastCaptureError = CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;

// CUDA's own refusals are CaptureError.
void check_capture(CUresult result, const char* call, int device) {
  const int code = result;
  if (code == CUDA_ERROR_ILLEGAL_STATE ||
      (code >= kFirstCaptureError && code <= kLastCaptureError)) {
    throw_capture_error(static_cast<CaptureFailure>(code), cuda_message(result, call, device));
  }
  check_cuda(result, call, device);
}

class CudaGraph final : public WorkGraph {
 public:
  // Takes the graph over.
  CudaGraph(const DeviceContext& context, CUgraph graph,
            std::shared_ptr<CapturedResources> resources)
      : context_(context), resources_(std::move(resources)), graph_(graph) {
    const CUresult result = cuda_api().cuGraphInstantiate(&executable_, graph, 0);
    if (result == CUDA_SUCCESS) return;
    cuda_api().cuGraphDestroy(graph);
    check_capture(result, "cuGraphInstantiate", context.index);
  }
  ~CudaGraph() override {
    const CudaApi* const api = cuda_api_in_reach();
    if (!api) return;
    api->cuGraphExecDestroy(executable_);
    api->cuGraphDestroy(graph_);
  }

  void upload(StreamHandle handle) override {
    const CudaStream& stream = for_work(handle);
    check_not_capturing(stream, "to upload a graph");
    const ContextGuard guard(context_);
    CUPOLA_CUDA(context_.index, cuGraphUpload, executable_, stream.handle);
  }

  void launch(StreamHandle handle) override {
    CudaStream& stream = for_work(handle);
    const ContextGuard guard(context_);
    if (const auto capture = stream.capture()) return add_to(*capture, stream);
    CUPOLA_CUDA(context_.index, cuGraphLaunch, executable_, stream.handle);
  }

  std::string to_dot(bool verbose) const override { return graph_text(graph_, verbose); }
  void* native_graph() const override { return graph_; }
  void* native_executable() const override { return executable_; }

 private:
  // CUDA launches no graph on a stream that is capturing: it becomes a node of the other graph,
  // which comes after what the stream has recorded.
  void add_to(CudaCapture& capture, const CudaStream& stream) const {
    const int device = context_.index;
    CUstreamCaptureStatus status{};
    CUgraph graph = nullptr;
    const CUgraphNode* dependencies = nullptr;
    std::size_t count = 0;
    CUPOLA_CUDA(device, capture_info, stream.handle, &status, nullptr, &graph, &dependencies,
                &count);
    CUgraphNode node = nullptr;
    CUPOLA_CUDA(device, cuGraphAddChildGraphNode, &node, graph, dependencies, count, graph_);
    CUPOLA_CUDA(device, update_capture_dependencies, stream.handle, &node, 1,
                CU_STREAM_SET_CAPTURE_DEPENDENCIES);
    capture.resources()->at_end([kept = resources_] {});  // its kernels use what this graph keeps
  }

  const DeviceContext& context_;
  const std::shared_ptr<CapturedResources> resources_;
  CUgraph graph_;
  CUgraphExec executable_ = nullptr;
};

}  // namespace

void CudaDriver::begin_capture(StreamHandle handle) {
  CudaStream& stream = for_work(handle);
  if (stream.capture()) {
    throw_capture_error(CaptureFailure::illegal_state, "the stream is capturing already");
  }
  const ContextGuard guard(*stream.context);
  // What this library calls meanwhile disturbs no capture, whatever the thread.
  check_capture(cuda_api().cuStreamBeginCapture(stream.handle, CU_STREAM_CAPTURE_MODE_RELAXED),
                "cuStreamBeginCapture", stream.context->index);
  stream.set_capture(std::make_shared<CudaCapture>(stream));
}

bool CudaDriver::is_capturing(StreamHandle stream) {
  return from_handle(stream).capture() != nullptr;
}

std::shared_ptr<WorkGraph> CudaDriver::end_capture(StreamHandle handle) {
  CudaStream& stream = from_handle(handle);
  const auto capture = stream.capture();
  if (!capture) {
    throw_capture_error(CaptureFailure::illegal_state, "the stream is not capturing");
  }
  if (!capture->begins_on(stream)) {
    capture->spoil();
    throw_capture_error(CaptureFailure::unmatched,
                        "the capture began on another stream and ends there");
  }
  const ContextGuard guard(*stream.context);
  CUgraph graph = nullptr;
  const CUresult result = cuda_api().cuStreamEndCapture(stream.handle, &graph);
  capture->leave();
  for (const CUdeviceptr each : capture->take_freed()) {
    cuda_api().cuMemFreeAsync(each, stream.handle);
  }
  if (capture->is_spoilt()) {
    if (graph) cuda_api().cuGraphDestroy(graph);
    throw_capture_error(CaptureFailure::invalidated,
                        "the capture was spoilt by an earlier call that is not allowed in one");
  }
  check_capture(result, "cuStreamEndCapture", stream.context->index);
  return std::make_shared<CudaGraph>(*stream.context, graph, capture->resources());
}

}  // namespace cupola::cuda
