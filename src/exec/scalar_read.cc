#include "exec/scalar_read.h"

#include <atomic>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/fork.h"
#include "codegen/planner.h"
#include "exec/launcher.h"
#include "exec/transfers.h"
#include "memory/buffer.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace cupola {

namespace {

constexpr std::size_t kSlotBytes = 64;  // a cache line of its own
constexpr std::size_t kBlockBytes = 4096;
// What a slot holds before the value comes; a value that looks the same is told by the stream.
constexpr unsigned char kEmpty = 0xA5;
// Short waits are the rule: then the value is there before another thread could run.
constexpr int kSpins = 2000;
constexpr int kLooks = 64;  // at the slot, between two questions to the platform

// Pinned memory for one value of a device.
struct Slot {
  explicit Slot(const Device& device, char* memory_)
      : memory(memory_), storage(borrow_storage(device, memory_, kSlotBytes, nullptr, true)) {}
  char* memory;
  std::shared_ptr<Storage> storage;
};

// Slots of threads that ended, for threads to come. Never destroyed: threads may end after static
// destructors ran, and slots are no thread's to free.
class Slots {
 public:
  Slots() { lock_at_fork(ForkLayer::exec, mutex_); }
  static Slots& instance() {
    static auto* slots = new Slots;
    return *slots;
  }
  Slot* take(Driver& driver, const Device& device) {
    {
      const std::lock_guard lock(mutex_);
      std::vector<Slot*>& free = free_[device];
      if (!free.empty()) {
        Slot* slot = free.back();
        free.pop_back();
        return slot;
      }
    }
    auto* block =
        static_cast<char*>(driver.allocate(device.index(), kBlockBytes, MemoryKind::pinned));
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 1; i < kBlockBytes / kSlotBytes; ++i) {
      free_[device].push_back(new Slot(device, block + i * kSlotBytes));
    }
    return new Slot(device, block);
  }
  void put(const Device& device, Slot* slot) {
    const std::lock_guard lock(mutex_);
    free_[device].push_back(slot);
  }

 private:
  std::mutex mutex_;
  std::unordered_map<Device, std::vector<Slot*>> free_;
};

// The thread's own, one for each device.
class ThreadSlots {
 public:
  ~ThreadSlots() {
    for (const auto& [device, slot] : slots_) {
      if (slot) Slots::instance().put(device, slot);
    }
  }
  Slot*& of(Driver& driver, const Device& device) {
    Slot*& slot = slots_[device];
    if (!slot) slot = Slots::instance().take(driver, device);
    return slot;
  }

 private:
  std::unordered_map<Device, Slot*> slots_;
};

ThreadSlots& slots_of_thread() {
  thread_local ThreadSlots slots;
  return slots;
}

// The device writes the bytes that the host looks at: each look is a new one, and what follows it
// sees what was written.
bool is_empty(char* memory, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) {
    const char now = std::atomic_ref<char>(memory[i]).load(std::memory_order_acquire);
    if (static_cast<unsigned char>(now) != kEmpty) return false;
  }
  return true;
}

void make_empty(char* memory, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) {
    std::atomic_ref<char>(memory[i]).store(static_cast<char>(kEmpty), std::memory_order_release);
  }
}

void pause() {
#ifdef __SSE2__
  _mm_pause();
#endif
}

void poll(StreamState& stream, char* memory, std::size_t bytes) {
  for (int i = 0; i < kSpins; ++i) {
    if (!is_empty(memory, bytes)) return;
    pause();
  }
  while (!stream.is_idle()) {  // throws what the work failed with
    for (int i = 0; i < kLooks; ++i) {
      if (!is_empty(memory, bytes)) return;
      std::this_thread::yield();
    }
  }
}

// Kernels that copy one element, by what they depend on.
struct CopyKernel {
  std::shared_ptr<Kernel> kernel;
  PlannedLaunch planned;
};

std::uint64_t kernel_key(const Array& source) {
  const bool aligned = reinterpret_cast<std::uintptr_t>(pointer_of(source)) % 16 == 0;
  return static_cast<std::uint64_t>(source.device().platform()) << 48 |
         static_cast<std::uint64_t>(source.device().index()) << 16 |
         static_cast<std::uint64_t>(source.dtype()) << 1 | static_cast<std::uint64_t>(aligned);
}

void launch_copy(const Array& source, const Array& target) {
  thread_local std::unordered_map<std::uint64_t, CopyKernel> kernels;
  CopyKernel& known = kernels[kernel_key(source)];
  if (known.kernel == nullptr) {
    const Write copy{.value = source, .target = target};
    PlannedLaunch planned = plan_map({&copy, 1});
    known.kernel = launch(planned);
    planned.reads.clear();
    planned.writes.clear();
    known.planned = std::move(planned);
    return;
  }
  LaunchArguments arguments = known.planned.arguments;
  arguments.inputs[0].pointer = pointer_of(source);
  arguments.outputs[0].pointer = pointer_of(target);
  launch(known.kernel, arguments, source, target);
}

Array element_of(const Array& array) {
  return make_view(array, Dims{}, Layout{Dims{}, array.state().layout.offset});
}

// Whether a kernel writes such an element in one piece.
bool arrives_whole(DType dtype) { return !is_complex(dtype); }

}  // namespace

Scalar read_by_polling(const Array& array) {
  const std::shared_ptr<StreamState>& stream = current_stream(array.device());
  Slot*& slot = slots_of_thread().of(stream->driver(), array.device());
  const auto bytes = static_cast<std::size_t>(array.item_size());
  make_empty(slot->memory, bytes);
  const Array target = make_stored(array.dtype(), Dims{}, slot->storage, Layout{Dims{}, 0});
  const std::uint64_t earlier = stream->submitted();
  Slot* const used = std::exchange(slot, nullptr);  // lost if this fails: it may be written later
  launch_copy(element_of(array), target);
  if (arrives_whole(array.dtype())) {
    poll(*stream, used->memory, bytes);
    stream->set_complete(earlier);
  } else {
    stream->synchronize();
  }
  slot = used;
  return Scalar::from_bytes(array.dtype(), used->memory);
}

Scalar read_scalar(const Array& array) {
  const std::shared_ptr<StreamState>& stream = current_stream(array.device());
  if (stream->driver().transfer_traits().host_may_poll) return read_by_polling(array);
  alignas(16) unsigned char bytes[16];
  copy_bytes_to_host(bytes, array);
  return Scalar::from_bytes(array.dtype(), bytes);
}

}  // namespace cupola
