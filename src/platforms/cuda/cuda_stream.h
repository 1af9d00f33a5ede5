#pragma once
// Streams and events of this platform, and the scratch memory of a stream.

#include <cuda.h>

#include <cstddef>
#include <mutex>

#include "driver/driver.h"
#include "platforms/cuda/context.h"

namespace cupola::cuda {

struct CudaStream {
  const DeviceContext* context;
  CUstream handle;
  // Held from taking scratch memory until all launches that use it are queued.
  std::mutex scratch_mutex;
  CUdeviceptr scratch = 0;
  std::size_t scratch_bytes = 0;
};

struct CudaEvent {
  const DeviceContext* context;
  CUevent handle;
};

inline CudaStream& from_handle(StreamHandle handle) {
  return *reinterpret_cast<CudaStream*>(handle);
}
inline StreamHandle to_handle(CudaStream* stream) { return reinterpret_cast<StreamHandle>(stream); }
inline CudaEvent& from_handle(EventHandle handle) { return *reinterpret_cast<CudaEvent*>(handle); }
inline EventHandle to_handle(CudaEvent* event) { return reinterpret_cast<EventHandle>(event); }

// Memory that the launches queued during its life may use, in stream order. The stream's context
// must be current. Small blocks stay with the stream for the next use.
class Scratch {
 public:
  Scratch(CudaStream& stream, std::size_t bytes);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  void* data() const { return reinterpret_cast<void*>(data_); }

 private:
  CudaStream& stream_;
  std::unique_lock<std::mutex> lock_;
  CUdeviceptr data_ = 0;
  bool owned_ = false;
};

// Gives back what the stream keeps.
void release_scratch(CudaStream& stream) noexcept;

}  // namespace cupola::cuda
