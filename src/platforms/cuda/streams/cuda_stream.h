#pragma once
// Streams and events of this platform, and the scratch memory of a stream.

#include <cuda.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "base/threads/mutex.h"
#include "driver/driver.h"
#include "platforms/cuda/device/context.h"
#include "platforms/cuda/launch/kernel_graphs.h"
#include "platforms/cuda/streams/cuda_capture.h"

namespace cupola::cuda {

// What waits for functions that run beside a stream: a word of pinned memory with the number of the
// last one that is done. Words serve one stream after another, and their numbers go on: a wait that
// a device has not noticed yet stays fulfilled.
struct Signal {
  std::uint32_t* word = nullptr;
  std::uint32_t last = 0;  // number of the last function

  bool is_given() const {
    return static_cast<std::int32_t>(std::atomic_ref(*word).load() - last) >= 0;
  }
};
// The context must be current.
Signal take_signal(int device);
void give_back(Signal signal) noexcept;

struct CudaStream {
  const DeviceContext* context;
  CUstream handle;    // to put work there: see for_work()
  bool owned = true;  // false: somebody else's, which is never destroyed here
  StreamOptions options;
  // Held from taking scratch memory until all launches that use it are queued.
  std::mutex scratch_mutex;
  CUdeviceptr scratch = 0;
  std::size_t scratch_bytes = 0;
  std::mutex signal_mutex;  // orders the numbers as the stream has them
  Signal signal;
  // The stream does not wait for the last function yet: while nothing comes after it, it need not,
  // and a kernel can be loaded (see LoadTurn).
  std::atomic<bool> owes_wait{false};
  std::atomic<bool> is_lent{false};  // others have the handle, and may put work there
  // A kernel was launched since the last copy from the host.
  std::atomic<bool> has_computed{false};
  KernelGraphs graphs;
  std::atomic<bool> is_capturing{false};
  mutable Mutex capture_mutex;
  std::shared_ptr<CudaCapture> its_capture;

  // Null: work runs.
  std::shared_ptr<CudaCapture> capture() const {
    if (!is_capturing.load(std::memory_order_acquire)) return nullptr;
    const std::lock_guard lock(capture_mutex);
    return its_capture;
  }
  void set_capture(std::shared_ptr<CudaCapture> capture) {
    const std::lock_guard lock(capture_mutex);
    is_capturing.store(capture != nullptr, std::memory_order_release);
    its_capture.swap(capture);
  }

  // Whether launches may go as graphs. Others may be recording what they put there, and a graph has
  // a priority of its own.
  bool takes_graphs() const {
    return owned && options.priority == 0 && !is_lent.load(std::memory_order_acquire) &&
           !is_capturing.load(std::memory_order_acquire);
  }
};

struct CudaEvent {
  const DeviceContext* context;
  CUevent handle;
  EventOptions options;
  std::atomic<bool> recorded{false};
  Mutex mutex;
  std::shared_ptr<CudaCapture> last_capture;  // that it was last recorded in

  std::shared_ptr<CudaCapture> capture() {
    const std::lock_guard lock(mutex);
    return last_capture;
  }
  void set_capture(std::shared_ptr<CudaCapture> capture) {
    const std::lock_guard lock(mutex);
    last_capture.swap(capture);
  }
};

// The default streams (0, 1, 2) are those of the current context; other handles know theirs.
inline bool needs_context(CUstream handle) { return reinterpret_cast<std::uintptr_t>(handle) <= 2; }

inline CudaStream& from_handle(StreamHandle handle) {
  return *reinterpret_cast<CudaStream*>(handle);
}
void put_owed_wait(CudaStream& stream);
// For putting work there: after all that runs beside the stream.
inline CudaStream& for_work(StreamHandle handle) {
  CudaStream& stream = from_handle(handle);
  if (stream.owes_wait.load(std::memory_order_acquire)) [[unlikely]]
    put_owed_wait(stream);
  return stream;
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

// Returns when all that was put there is done. Throws what check_interrupt() throws, too.
void wait_for_work(const CudaStream& stream);

// The function that the stream owes a wait for, if it does.
std::optional<Signal> owed_wait(CudaStream& stream);
void wait_on_host(const Signal& signal);

// Held while a kernel is loaded or a graph is made. CUDA does that, or some of it, only when no
// stream of the device has work left, and meanwhile holds back what other threads ask of the
// device. What runs beside a stream may be such a thread, so that a turn begins when no stream
// waits for a function, and none comes to wait until it has ended.
class LoadTurn {
 public:
  // Throws LaunchError on a thread whose own function a stream waits for.
  LoadTurn(const DeviceContext& context, const char* kernel);
  // For what can be put off: nothing while a stream waits for a function, or others have the turn.
  static std::optional<LoadTurn> without_wait(int device);
  ~LoadTurn();
  LoadTurn(LoadTurn&&) noexcept = default;
  LoadTurn& operator=(LoadTurn&&) = delete;

 private:
  explicit LoadTurn(std::unique_lock<std::mutex> lock);
  std::unique_lock<std::mutex> lock_;
};

}  // namespace cupola::cuda
