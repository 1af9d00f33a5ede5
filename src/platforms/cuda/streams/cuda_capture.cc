#include "platforms/cuda/streams/cuda_capture.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>

#include "cupola/error.h"
#include "driver/graph.h"
#include "platforms/cuda/device/cuda_api.h"
#include "platforms/cuda/streams/cuda_stream.h"

namespace cupola::cuda {

CapturedResources::~CapturedResources() {
  for (const auto& end : ends_) end();
  const CudaApi* const api = cuda_api_in_reach();
  if (!api) return;
  try {
    const ContextGuard guard(context_);
    for (const CUdeviceptr each : device_) api->cuMemFree(each);
    for (void* const each : pinned_) api->cuMemFreeHost(each);
  } catch (const Error&) {
    // The context is gone, and its memory with it.
  }
}

CUdeviceptr CapturedResources::allocate(std::size_t bytes) {
  CUdeviceptr data = 0;
  CUPOLA_CUDA(context_.index, cuMemAlloc, &data, bytes);
  const std::lock_guard lock(mutex_);
  device_.push_back(data);
  return data;
}

const void* CapturedResources::copy_of(const void* bytes, std::size_t count) {
  void* copy = nullptr;
  CUPOLA_CUDA(context_.index, cuMemHostAlloc, &copy, count, CU_MEMHOSTALLOC_PORTABLE);
  std::memcpy(copy, bytes, count);
  const std::lock_guard lock(mutex_);
  pinned_.push_back(copy);
  return copy;
}

std::function<void()>* CapturedResources::keep(std::function<void()> function) {
  const std::lock_guard lock(mutex_);
  functions_.push_back(std::make_unique<std::function<void()>>(std::move(function)));
  return functions_.back().get();
}

void CapturedResources::at_end(std::function<void()> function) {
  const std::lock_guard lock(mutex_);
  ends_.push_back(std::move(function));
}

CudaCapture::CudaCapture(CudaStream& origin)
    : origin_(origin),
      resources_(std::make_shared<CapturedResources>(*origin.context)),
      streams_{&origin} {}

bool CudaCapture::is_running() const {
  const std::lock_guard lock(mutex_);
  return is_running_;
}

void CudaCapture::join(CudaStream& stream) {
  stream.set_capture(shared_from_this());
  const std::lock_guard lock(mutex_);
  streams_.push_back(&stream);
}

void CudaCapture::spoil() {
  const std::lock_guard lock(mutex_);
  is_spoilt_ = true;
}

bool CudaCapture::is_spoilt() const {
  const std::lock_guard lock(mutex_);
  return is_spoilt_;
}

void CudaCapture::leave() {
  const std::lock_guard lock(mutex_);
  is_running_ = false;
  for (CudaStream* const stream : streams_) stream->set_capture(nullptr);
}

void CudaCapture::drop(const CudaStream& stream) {
  const std::lock_guard lock(mutex_);
  is_spoilt_ = true;
  std::erase(streams_, &stream);
}

void CudaCapture::free_afterwards(CUdeviceptr pointer) {
  const std::lock_guard lock(mutex_);
  freed_.push_back(pointer);
}

std::vector<CUdeviceptr> CudaCapture::take_freed() {
  const std::lock_guard lock(mutex_);
  return std::exchange(freed_, {});
}

CUdeviceptr allocate_for_work(CudaStream& stream, std::size_t bytes) {
  if (const auto capture = stream.capture()) return capture->resources()->allocate(bytes);
  CUdeviceptr data = 0;
  CUPOLA_CUDA(stream.context->index, cuMemAllocFromPoolAsync, &data, bytes, stream.context->pool,
              stream.handle);
  return data;
}

void free_after_work(CudaStream& stream, CUdeviceptr pointer) noexcept {
  if (stream.capture()) return;
  if (const CudaApi* api = cuda_api_in_reach()) api->cuMemFreeAsync(pointer, stream.handle);
}

void check_not_capturing(const CudaStream& stream, const char* what) {
  if (stream.is_capturing.load(std::memory_order_acquire)) refuse_in_capture(what);
}

}  // namespace cupola::cuda
