// Functions in stream order, on the host, and the words of pinned memory that waits for them look
// at.
#include <fmt/format.h>

#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "base/threads/lazy.h"
#include "cupola/error.h"
#include "driver/beside.h"
#include "platforms/cuda/device/context.h"
#include "platforms/cuda/device/cuda_api.h"
#include "platforms/cuda/device/cuda_driver.h"
#include "platforms/cuda/device/device_table.h"
#include "platforms/cuda/launch/cuda_kernel.h"
#include "platforms/cuda/streams/cuda_stream.h"

namespace cupola::cuda {
namespace {

constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kWordBytes = 64;  // a cache line each

// Pages are never freed: they are few, and a device may look at a word at any time.
struct Words {
  std::mutex mutex;
  std::vector<Signal> free;
};

Words& words() {
  static constinit Lazy<Words> instance;
  return *instance;
}

// The waits for functions that are in streams of a device. Nothing that a forked child may touch.
struct HeldStreams {
  struct Wait {
    CudaStream* stream;
    Signal signal;
  };
  void forget_given() {
    std::erase_if(waits, [](const Wait& wait) { return wait.signal.is_given(); });
  }
  std::mutex mutex;
  std::vector<Wait> waits;
};
std::atomic<int> loads{0};  // of kernels, at the moment
DeviceTable<HeldStreams>& held_streams = *new DeviceTable<HeldStreams>;

void add_page(std::vector<Signal>& free, int device) {
  void* page = nullptr;
  CUPOLA_CUDA(device, cuMemHostAlloc, &page, kPageBytes,
              CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
  for (std::size_t at = 0; at < kPageBytes; at += kWordBytes) {
    free.push_back({new (static_cast<char*>(page) + at) std::uint32_t(0), 0});
  }
}

void CUDA_CB call_function(void* data) {
  const std::unique_ptr<std::function<void()>> function(static_cast<std::function<void()>*>(data));
  (*function)();
}

// Once for each launch of a graph, which has it.
void CUDA_CB call_kept_function(void* data) { (*static_cast<std::function<void()>*>(data))(); }

void queue_function(const CudaStream& stream, std::function<void()> function) {
  auto data = std::make_unique<std::function<void()>>(std::move(function));
  CUPOLA_CUDA(stream.context->index, cuLaunchHostFunc, stream.handle, call_function, data.get());
  data.release();
}

// With the context current and the stream's signal_mutex held.
void put_wait(CudaStream& stream) {
  if (!stream.owes_wait.load(std::memory_order_relaxed)) return;
  if (!stream.signal.is_given()) {
    HeldStreams& held = held_streams[stream.context->index];
    const std::scoped_lock turn(held.mutex);
    held.forget_given();
    held.waits.push_back({&stream, stream.signal});
    CUPOLA_CUDA(stream.context->index, cuStreamWaitValue32, stream.handle,
                device_address(stream.signal.word), stream.signal.last, CU_STREAM_WAIT_VALUE_GEQ);
  }
  stream.owes_wait.store(false, std::memory_order_release);
}

}  // namespace

Signal take_signal(int device) {
  const std::scoped_lock lock(words().mutex);
  if (words().free.empty()) add_page(words().free, device);
  const Signal signal = words().free.back();
  words().free.pop_back();
  return signal;
}

void give_back(Signal signal) noexcept {
  if (!signal.word) return;
  const std::scoped_lock lock(words().mutex);
  words().free.push_back(signal);
}

void CudaDriver::run_on_host(std::function<void()> function, StreamHandle handle) {
  const CudaStream& stream = for_work(handle);
  const ContextGuard guard(*stream.context);
  if (const auto capture = stream.capture()) {
    CUPOLA_CUDA(stream.context->index, cuLaunchHostFunc, stream.handle, call_kept_function,
                capture->resources()->keep(std::move(function)));
    return;
  }
  queue_function(stream, std::move(function));
}

void CudaDriver::run_beside(std::function<void(Done)> begin, StreamHandle handle) {
  CudaStream& stream = from_handle(handle);
  check_not_capturing(stream, "to run a function beside a stream");
  const ContextGuard guard(*stream.context);
  const std::scoped_lock lock(stream.signal_mutex);
  put_wait(stream);
  if (!stream.signal.word) stream.signal = take_signal(stream.context->index);
  const std::uint32_t number = ++stream.signal.last;
  const auto done = [word = stream.signal.word, number] {
    std::atomic_ref(*word).store(number);
    std::atomic_ref(*word).notify_all();
  };
  queue_function(stream, [begin = std::move(begin), done] { begin(done); });
  stream.owes_wait.store(true, std::memory_order_release);
  if (!stream.owned || stream.is_lent.load(std::memory_order_acquire)) put_wait(stream);
}

void put_owed_wait(CudaStream& stream) {
  const ContextGuard guard(*stream.context);
  const std::scoped_lock lock(stream.signal_mutex);
  put_wait(stream);
}

std::optional<Signal> owed_wait(CudaStream& stream) {
  if (!stream.owes_wait.load(std::memory_order_acquire)) return std::nullopt;
  const std::scoped_lock lock(stream.signal_mutex);
  if (!stream.owes_wait.load(std::memory_order_relaxed)) return std::nullopt;
  return stream.signal;
}

void wait_on_host(const Signal& signal) {
  const std::atomic_ref word(*signal.word);
  while (!signal.is_given()) {
    const std::uint32_t seen = word.load();
    if (!signal.is_given()) word.wait(seen);
  }
}

bool CudaDriver::is_loading() const {
  return loads.load(std::memory_order_relaxed) > 0 || joined_kernels_are_wanted();
}

LoadTurn::LoadTurn(std::unique_lock<std::mutex> lock) : lock_(std::move(lock)) {
  loads.fetch_add(1, std::memory_order_relaxed);
}

LoadTurn::~LoadTurn() {
  if (lock_) loads.fetch_sub(1, std::memory_order_relaxed);
}

std::optional<LoadTurn> LoadTurn::without_wait(int device) {
  HeldStreams& held = held_streams[device];
  std::unique_lock lock(held.mutex, std::try_to_lock);
  if (!lock) return std::nullopt;
  held.forget_given();
  if (!held.waits.empty()) return std::nullopt;
  return LoadTurn(std::move(lock));
}

LoadTurn::LoadTurn(const DeviceContext& context, const char* kernel) {
  const StreamHandle own = beside_stream(PlatformKind::cuda);
  HeldStreams& held = held_streams[context.index];
  for (;;) {
    lock_ = std::unique_lock(held.mutex);
    held.forget_given();
    if (held.waits.empty()) {
      loads.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    for (const auto& [stream, signal] : held.waits) {
      if (to_handle(stream) == own) {
        throw LaunchError(fmt::format(
            "{} is used for the first time on cuda:{} by a function on whose end queued work of "
            "its stream waits; CUDA loads kernels only when no stream waits: use it once before",
            kernel, context.index));
      }
    }
    const Signal signal = held.waits.front().signal;
    lock_.unlock();
    wait_on_host(signal);
  }
}

}  // namespace cupola::cuda
