#pragma once
// Streams and events of this platform, and the scratch memory of a stream.

#include <cuda.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "driver/driver.h"
#include "platforms/cuda/context.h"

namespace cupola::cuda {

// What run_beside() waits for: a word of pinned memory with the number of the last function that is
// done. Words serve one stream after another, and their numbers go on: a wait that a device has not
// noticed yet stays fulfilled.
struct Signal {
  std::uint32_t* word = nullptr;
  std::uint32_t last = 0;
};
// The context must be current.
Signal take_signal(int device);
void give_back(Signal signal) noexcept;

struct CudaStream {
  const DeviceContext* context;
  CUstream handle;
  bool owned = true;  // false: somebody else's, which is never destroyed here
  // Held from taking scratch memory until all launches that use it are queued.
  std::mutex scratch_mutex;
  CUdeviceptr scratch = 0;
  std::size_t scratch_bytes = 0;
  std::mutex signal_mutex;  // orders the numbers as the stream has them
  Signal signal;
};

struct CudaEvent {
  const DeviceContext* context;
  CUevent handle;
  EventOptions options;
  std::atomic<bool> recorded{false};
};

// The default streams (0, 1, 2) are those of the current context; other handles know theirs.
inline bool needs_context(CUstream handle) { return reinterpret_cast<std::uintptr_t>(handle) <= 2; }

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
