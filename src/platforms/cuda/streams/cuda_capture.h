#pragma once
// Streams that are being captured, and what the graph keeps for its kernels.

#include <cuda.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "base/threads/mutex.h"

namespace cupola::cuda {

struct CudaStream;
struct DeviceContext;

// Memory and functions that recorded work uses at every launch, as long as this lives. The device
// must not be using them at destruction.
class CapturedResources {
 public:
  explicit CapturedResources(const DeviceContext& context) : context_(context) {}
  ~CapturedResources();
  CapturedResources(const CapturedResources&) = delete;
  CapturedResources& operator=(const CapturedResources&) = delete;

  // Device memory. The context must be current, as for what follows.
  CUdeviceptr allocate(std::size_t bytes);
  // Pinned memory with these bytes.
  const void* copy_of(const void* bytes, std::size_t count);
  std::function<void()>* keep(std::function<void()> function);
  // Called at destruction.
  void at_end(std::function<void()> function);

 private:
  const DeviceContext& context_;
  Mutex mutex_;
  std::vector<CUdeviceptr> device_;
  std::vector<void*> pinned_;
  std::vector<std::unique_ptr<std::function<void()>>> functions_;
  std::vector<std::function<void()>> ends_;
};

// Any thread may call anything.
class CudaCapture : public std::enable_shared_from_this<CudaCapture> {
 public:
  explicit CudaCapture(CudaStream& origin);
  bool begins_on(const CudaStream& stream) const { return &stream == &origin_; }
  bool is_running() const;
  void join(CudaStream& stream);
  void spoil();
  bool is_spoilt() const;
  void leave();
  // The stream goes.
  void drop(const CudaStream& stream);
  const std::shared_ptr<CapturedResources>& resources() const { return resources_; }

  // Memory that was given back in the order of a stream meanwhile.
  void free_afterwards(CUdeviceptr pointer);
  std::vector<CUdeviceptr> take_freed();

 private:
  CudaStream& origin_;
  const std::shared_ptr<CapturedResources> resources_;
  mutable Mutex mutex_;
  std::vector<CudaStream*> streams_;
  std::vector<CUdeviceptr> freed_;
  bool is_spoilt_ = false;
  bool is_running_ = true;
};

// Device memory for work that is put on the stream next, and its end after that work; in a capture,
// with the graph. The context must be current.
CUdeviceptr allocate_for_work(CudaStream& stream, std::size_t bytes);
void free_after_work(CudaStream& stream, CUdeviceptr pointer) noexcept;

// Throws where the stream is being captured.
void check_not_capturing(const CudaStream& stream, const char* what);

}  // namespace cupola::cuda
