// Streams and events of the CUDA platform.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "base/mutant.h"
#include "base/process/interrupt.h"
#include "cupola/error.h"
#include "platforms/cuda/device/context.h"
#include "platforms/cuda/device/cuda_api.h"
#include "platforms/cuda/device/cuda_driver.h"
#include "platforms/cuda/device/discovery.h"
#include "platforms/cuda/streams/cuda_stream.h"
#include "platforms/cuda/streams/handle_cache.h"

namespace cupola::cuda {
namespace {

// To make one may wait until no stream of the device has work.
constexpr int kMadeAtOnce = 16;

HandleCache<CudaStream>& cached_streams = *new HandleCache<CudaStream>;
HandleCache<CudaEvent>& cached_events = *new HandleCache<CudaEvent>;

bool is_done(CUresult result, const char* call, int device) {
  if (result == CUDA_ERROR_NOT_READY) return false;
  check_cuda(result, call, device);
  return true;
}

// The stream's context as the current one, where its handle needs that.
class StreamContext {
 public:
  explicit StreamContext(const CudaStream& stream) {
    if (needs_context(stream.handle)) guard_.emplace(*stream.context);
  }

 private:
  std::optional<ContextGuard> guard_;
};

// The context must be current.
std::pair<int, int> priority_range(int device) {
  std::pair<int, int> range{};
  CUPOLA_CUDA(device, cuCtxGetStreamPriorityRange, &range.first, &range.second);
  return range;
}

bool has_no_work(const CudaStream& stream) {
  const StreamContext context(stream);
  return is_done(cuda_api().cuStreamQuery(stream.handle), "cuStreamQuery", stream.context->index);
}

// With the priority that the device gives. The context must be current.
StreamOptions clamped(int device, StreamOptions options) {
  if (options.priority == 0) return options;
  const auto [least, greatest] = priority_range(device);
  options.priority = std::clamp(options.priority, greatest, least);  // lower numbers are greater
  return options;
}

// Throws DeviceError for a stream of another device; makes no context.
void check_owner(int device, CUstream native) {
  CUcontext context = nullptr;
  const CUresult result = cuda_api().cuStreamGetCtx(native, &context);
  if (result != CUDA_SUCCESS) {
    throw DeviceError(fmt::format("{} is no stream of this process: {}", static_cast<void*>(native),
                                  cuda_message(result, "cuStreamGetCtx", device)));
  }
  CUdevice owner = 0;
  CUPOLA_CUDA(device, cuCtxPushCurrent, context);
  const CUresult asked = cuda_api().cuCtxGetDevice(&owner);
  cuda_api().cuCtxPopCurrent(&context);
  check_cuda(asked, "cuCtxGetDevice", device);
  CUuuid uuid{};
  CUPOLA_CUDA(device, cuDeviceGetUuid, &uuid, owner);
  const std::string expected = found_device(device).properties.uuid;
  if (expected.starts_with("GPU-") && uuid_text(uuid) != expected) {
    throw DeviceError(fmt::format("the stream {} is one of device {}, not of cuda:{} ({})",
                                  static_cast<void*>(native), uuid_text(uuid), device, expected));
  }
}

// The context must be current.
std::unique_ptr<CudaStream> make_stream(const DeviceContext& context,
                                        const StreamOptions& options) {
  auto stream = std::make_unique<CudaStream>();
  stream->context = &context;
  stream->options = options;
  CUPOLA_CUDA(context.index, cuStreamCreateWithPriority, &stream->handle,
              options.non_blocking ? CU_STREAM_NON_BLOCKING : CU_STREAM_DEFAULT, options.priority);
  return stream;
}

unsigned int flags_of(const EventOptions& options) {
  unsigned int flags = CU_EVENT_DEFAULT;
  if (!options.timing) flags |= CU_EVENT_DISABLE_TIMING;
  if (options.blocking) flags |= CU_EVENT_BLOCKING_SYNC;
  if (options.interprocess) flags |= CU_EVENT_INTERPROCESS;
  return flags;
}

// Throws for an event whose last record was captured.
void check_real(CudaEvent& event) {
  if (!event.capture()) return;
  throw_capture_error(CaptureFailure::captured_event,
                      "the event was last recorded on a stream that was capturing: nothing of it "
                      "can be waited for on the host");
}

// The capture that a stream joins as it waits for the event; null: none, or it is a part of it.
std::shared_ptr<CudaCapture> capture_to_join(const CudaStream& stream, CudaEvent& event) {
  const auto own = stream.capture();
  const auto captured = event.capture();
  const bool is_running = captured && captured->is_running();
  if (own && is_running && own != captured) {
    own->spoil();
    captured->spoil();
    throw_capture_error(CaptureFailure::merge,
                        "a stream that is capturing cannot join another capture");
  }
  if (own && !is_running) {
    own->spoil();
    throw_capture_error(CaptureFailure::isolation,
                        "a stream that is capturing cannot wait for an event that was not recorded "
                        "in the same capture");
  }
  if (!is_running) check_real(event);
  return own ? nullptr : captured;
}

// The stream goes: CUDA's capture of it ends, and leads to nothing.
void abandon_capture(CudaStream& stream) noexcept {
  const auto capture = stream.capture();
  if (!capture) return;
  stream.set_capture(nullptr);
  capture->drop(stream);
  const CudaApi* const api = cuda_api_in_reach();
  if (!api || !capture->begins_on(stream)) return;
  CUgraph graph = nullptr;
  api->cuStreamEndCapture(stream.handle, &graph);
  if (graph) api->cuGraphDestroy(graph);
  capture->leave();
}

// Throws ValueError where the event has no time.
void check_timed(const CudaEvent& event, const char* which) {
  const char* reason = nullptr;
  if (!event.options.timing) {
    reason = "was made without timing (disable_timing=True)";
  } else if (!event.recorded.load(std::memory_order_acquire)) {
    reason = "was never recorded";
  } else if (!is_done(cuda_api().cuEventQuery(event.handle), "cuEventQuery",
                      event.context->index)) {
    reason = "is not complete; synchronize it first";
  }
  if (reason) {
    throw ValueError(fmt::format("no time between two events: the {} one {}", which, reason));
  }
}

}  // namespace

std::pair<int, int> CudaDriver::stream_priorities(int device) {
  const ContextGuard guard(device_context(device));
  return priority_range(device);
}

StreamHandle CudaDriver::create_stream(int device, const StreamOptions& asked) {
  const DeviceContext& context = device_context(device);
  const ContextGuard guard(context);
  const StreamOptions options = clamped(device, asked);
  auto cached = cached_streams.take(&context, options, [](const CudaStream& each) {
    return cuda_api().cuStreamQuery(each.handle) == CUDA_SUCCESS;
  });
  if (cached) {
    cached->is_lent.store(false, std::memory_order_relaxed);
    return to_handle(cached.release());
  }
  for (int i = 1; i < kMadeAtOnce; ++i) cached_streams.put(make_stream(context, options).release());
  return to_handle(make_stream(context, options).release());
}

StreamHandle CudaDriver::adopt_stream(int device, void* native) {
  found_device(device);  // throws for one that does not exist
  auto* const handle = static_cast<CUstream>(native);
  if (!needs_context(handle)) {
    initialize_cuda();
    check_owner(device, handle);
  }
  auto stream = std::make_unique<CudaStream>();
  stream->context = &device_context(device);
  stream->handle = handle;
  stream->owned = false;
  return to_handle(stream.release());
}

void CudaDriver::destroy_stream(StreamHandle handle) noexcept {
  CudaStream& stream = from_handle(handle);
  abandon_capture(stream);
  if (stream.owned) {
    // In a forked child another thread of the parent may have had the graphs' lock.
    if (!cuda_is_out_of_reach()) stream.graphs.release(stream.context->index);
    return cached_streams.put(&stream);
  }
  try {
    const ContextGuard guard(*stream.context);
    release_scratch(stream);
  } catch (const Error&) {
    // The context is gone, and the stream with it.
  }
  give_back(stream.signal);
  delete &stream;
}

// Nothing ends a thread's wait within the driver: where signals may, it asks instead.
void wait_for_work(const CudaStream& stream) {
  if (is_interruptible() && !CUPOLA_MUTANT(wait_in_the_driver)) {
    return wait_until([&] { return has_no_work(stream); });
  }
  const StreamContext context(stream);
  CUPOLA_CUDA(stream.context->index, cuStreamSynchronize, stream.handle);
}

void CudaDriver::synchronize(StreamHandle handle) {
  CudaStream& stream = from_handle(handle);
  if (const auto capture = stream.capture()) {
    capture->spoil();
    refuse_in_capture("to wait for a stream");
  }
  const std::optional<Signal> owed = owed_wait(stream);
  wait_for_work(stream);
  if (!owed) return;
  if (is_interruptible()) {
    wait_until([&] { return owed->is_given(); });
  } else {
    wait_on_host(*owed);
  }
}

bool CudaDriver::is_idle(StreamHandle handle) {
  CudaStream& stream = from_handle(handle);
  if (const auto capture = stream.capture()) {
    capture->spoil();
    return false;
  }
  const std::optional<Signal> owed = owed_wait(stream);
  if (owed && !owed->is_given()) return false;
  return has_no_work(stream);
}

void* CudaDriver::native_handle(StreamHandle stream) {
  from_handle(stream).is_lent.store(true, std::memory_order_release);
  return for_work(stream).handle;
}

std::uint64_t CudaDriver::native_id(StreamHandle handle) {
  const CudaStream& stream = from_handle(handle);
  const StreamContext context(stream);
  unsigned long long id = 0;
  CUPOLA_CUDA(stream.context->index, cuStreamGetId, stream.handle, &id);
  return id;
}

EventHandle CudaDriver::create_event(int device, const EventOptions& options) {
  if (options.interprocess && options.timing) {
    throw ValueError("an event for several processes has no timing: give disable_timing=True");
  }
  const DeviceContext& context = device_context(device);
  const ContextGuard guard(context);
  auto cached = cached_events.take(&context, options, [](const CudaEvent& each) {
    return cuda_api().cuEventQuery(each.handle) == CUDA_SUCCESS;
  });
  if (cached) {
    cached->recorded.store(false, std::memory_order_relaxed);
    cached->set_capture(nullptr);
    return to_handle(cached.release());
  }
  auto event = std::make_unique<CudaEvent>();
  event->context = &context;
  event->options = options;
  CUPOLA_CUDA(device, cuEventCreate, &event->handle, flags_of(options));
  return to_handle(event.release());
}

void CudaDriver::destroy_event(EventHandle handle) noexcept {
  CudaEvent& event = from_handle(handle);
  // What was recorded in a capture says nothing of itself any more: it would be asked in vain.
  if (!event.options.interprocess && !event.capture()) return cached_events.put(&event);
  if (const CudaApi* api = cuda_api_in_reach()) api->cuEventDestroy(event.handle);
  delete &event;
}

void* CudaDriver::native_handle(EventHandle event) { return from_handle(event).handle; }

void CudaDriver::record(EventHandle handle, StreamHandle stream) {
  const CudaStream& queue = for_work(stream);
  CudaEvent& event = from_handle(handle);
  const StreamContext context(queue);
  CUPOLA_CUDA(queue.context->index, cuEventRecord, event.handle, queue.handle);
  const auto capture = queue.capture();
  event.recorded.store(!capture, std::memory_order_release);
  event.set_capture(capture);
}

void CudaDriver::wait(StreamHandle stream, EventHandle event) {
  CudaStream& queue = for_work(stream);
  const auto joined = capture_to_join(queue, from_handle(event));
  const StreamContext context(queue);
  CUPOLA_CUDA(queue.context->index, cuStreamWaitEvent, queue.handle, from_handle(event).handle,
              CU_EVENT_WAIT_DEFAULT);
  if (joined) joined->join(queue);
}

bool CudaDriver::is_complete(EventHandle handle) {
  CudaEvent& event = from_handle(handle);
  check_real(event);
  return is_done(cuda_api().cuEventQuery(event.handle), "cuEventQuery", event.context->index);
}

void CudaDriver::synchronize(EventHandle handle) {
  CudaEvent& event = from_handle(handle);
  check_real(event);
  if (is_interruptible()) return wait_until([&] { return is_complete(handle); });
  CUPOLA_CUDA(event.context->index, cuEventSynchronize, event.handle);
}

double CudaDriver::elapsed_milliseconds(EventHandle first, EventHandle last) {
  const CudaEvent& begin = from_handle(first);
  const CudaEvent& end = from_handle(last);
  check_timed(begin, "first");
  check_timed(end, "last");
  float milliseconds = 0;
  check_cuda(cuda_api().event_elapsed_time(&milliseconds, begin.handle, end.handle),
             "cuEventElapsedTime", end.context->index);
  return milliseconds;
}

}  // namespace cupola::cuda
