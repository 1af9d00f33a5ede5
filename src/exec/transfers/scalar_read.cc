#include "exec/transfers/scalar_read.h"

#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/process/fork.h"
#include "base/threads/lazy.h"
#include "base/threads/thread_owned.h"
#include "codegen/planner.h"
#include "exec/host/host_access.h"
#include "exec/host/host_element.h"
#include "exec/launch/launcher.h"
#include "exec/launch/mirror.h"
#include "exec/launch/polled_memory.h"
#include "exec/launch/storage_lock.h"
#include "exec/transfers/late_checks.h"
#include "exec/transfers/transfers.h"
#include "memory/buffer.h"
#include "runtime/capture.h"
#include "runtime/observer.h"

namespace cupola {

namespace {

// Pinned memory for one value of a device.
struct Slot {
  explicit Slot(const Device& device, char* memory_)
      : memory(memory_), storage(borrow_storage(device, memory_, kPolledBytes, nullptr, true)) {}
  char* memory;
  std::shared_ptr<Storage> storage;
};

// Slots of threads that ended, for threads to come. Never destroyed: threads may end after static
// destructors ran, and slots are no thread's to free.
class Slots {
 public:
  Slots() { lock_at_fork(ForkLayer::exec, mutex_); }
  static Slots& instance() {
    static constinit Lazy<Slots> slots;
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
    const std::vector<char*> made = make_polled_slots(driver, device);
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 1; i < made.size(); ++i)
      free_[device].push_back(new Slot(device, made[i]));
    return new Slot(device, made[0]);
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

Array element_of(const Array& array) {
  return make_view(array, Dims{}, Layout{Dims{}, array.state().layout.offset});
}

}  // namespace

Scalar read_by_polling(const Array& array) {
  const std::shared_ptr<StreamState>& stream = current_stream(array.device());
  Slot*& slot = ThreadOwned<ThreadSlots>::get().of(stream->driver(), array.device());
  const auto bytes = static_cast<std::size_t>(array.item_size());
  make_empty(slot->memory, bytes);
  const Array target = make_stored(array.dtype(), Dims{}, slot->storage, Layout{Dims{}, 0});
  const std::uint64_t earlier = stream->submitted();
  Slot* const used = std::exchange(slot, nullptr);  // lost if this fails: it may be written later
  const Write copy{.value = element_of(array), .target = target};
  launch_writes({&copy, 1});
  if (arrives_whole(array.dtype())) {
    poll(*stream, used->memory, bytes);
    stream->set_complete(earlier);
  } else {
    stream->synchronize();
  }
  slot = used;
  return Scalar::from_bytes(array.dtype(), used->memory);
}

namespace {

Scalar read_unchecked(const Array& array) {
  if (const std::optional<Scalar> present = read_host_element(array)) return *present;
  const std::shared_ptr<StreamState>& stream = current_stream(array.device());
  check_not_capturing(*stream, "to read a value on the host");
  const ObservedWait waiting;
  if (const std::optional<Scalar> mirrored = read_mirror(array)) return *mirrored;
  if (stream->driver().traits().host_may_poll) return read_by_polling(array);
  alignas(16) unsigned char bytes[16];
  copy_bytes_to_host(bytes, array);
  return Scalar::from_bytes(array.dtype(), bytes);
}

}  // namespace

Scalar read_scalar(const Array& array) {
  const Scalar value = read_unchecked(array);
  throw_late_errors(array);
  return value;
}

std::optional<Scalar> observe_element(const Array& array) {
  const std::optional<Scalar> known = known_element(array);
  if (known) throw_late_errors(array);
  return known;
}

Scalar read_computed(const Array& array) {
  {
    Storage& storage = *array.state().storage;
    const StorageLock lock(storage);
    const StorageUse& write = storage.uses.write;
    if (write.stream) write.stream->set_complete(write.sequence);
  }
  {
    HostAccess access;
    if (access.may_read(array)) return Scalar::from_bytes(array.dtype(), pointer_of(array));
  }
  return read_unchecked(array);
}

}  // namespace cupola
