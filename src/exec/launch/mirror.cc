#include "exec/launch/mirror.h"

#include <deque>
#include <mutex>
#include <new>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/process/fork.h"
#include "base/threads/lazy.h"
#include "cupola/error.h"
#include "exec/launch/polled_memory.h"
#include "exec/launch/storage_lock.h"

namespace cupola {

namespace {

// Memory that had an owner; a kernel may not have written there yet.
struct Returned {
  char* memory = nullptr;
  std::size_t bytes = 0;
  StorageUse write;

  bool is_written() const {
    return !write.stream || !is_empty(memory, bytes) ||
           write.stream->is_known_complete(write.sequence);
  }
};

// Never destroyed: arrays may outlive static objects.
class MirrorSlots {
 public:
  MirrorSlots() { lock_at_fork(ForkLayer::exec, mutex_); }

  char* take(Driver& driver, const Device& device) {
    {
      const std::lock_guard lock(mutex_);
      std::deque<Returned>& slots = slots_[device];
      for (std::size_t asked = 0; asked < kAsked && asked < slots.size(); ++asked) {
        Returned slot = std::move(slots.front());
        slots.pop_front();
        if (slot.is_written()) return slot.memory;
        slots.push_back(std::move(slot));
      }
    }
    const std::vector<char*> made = make_polled_slots(driver, device);
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 1; i < made.size(); ++i) slots_[device].push_front({made[i], 0, {}});
    return made[0];
  }

  void put(const Device& device, Returned slot) {
    const std::lock_guard lock(mutex_);
    slots_[device].push_back(std::move(slot));
  }

 private:
  static constexpr std::size_t kAsked = 4;
  std::mutex mutex_;
  std::unordered_map<Device, std::deque<Returned>> slots_;
};

MirrorSlots& mirror_slots() {
  static constinit Lazy<MirrorSlots> slots;
  return *slots;
}

}  // namespace

Mirror::~Mirror() {
  try {
    mirror_slots().put(device, {memory, bytes, std::move(write)});
  } catch (const std::bad_alloc&) {
    // The slot is lost: nothing may use it before the kernel has written there.
  }
}

std::shared_ptr<Mirror> make_mirror(StreamState& stream, const Array& target) {
  if (stream.is_capturing() || !stream.driver().traits().host_may_poll || target.size() != 1 ||
      !arrives_whole(target.dtype())) {
    return nullptr;
  }
  const auto bytes = static_cast<std::size_t>(target.item_size());
  try {
    char* const memory = mirror_slots().take(stream.driver(), stream.device());
    make_empty(memory, bytes);
    auto mirror = std::make_shared<Mirror>(stream.device(), memory, bytes);
    mirror->earlier = stream.submitted();
    return mirror;
  } catch (const OutOfMemoryError&) {
    return nullptr;
  }
}

void set_mirror(UseRecord& uses, std::shared_ptr<Mirror> mirror) {
  mirror->write = uses.write;
  uses.mirror = std::move(mirror);
}

std::optional<Scalar> read_mirror(const Array& array) {
  std::shared_ptr<Mirror> mirror;
  {
    Storage& storage = *array.state().storage;
    const StorageLock lock(storage);
    mirror = storage.uses.mirror;
  }
  if (!mirror || array.state().layout.offset != 0 ||
      static_cast<std::size_t>(array.item_size()) != mirror->bytes) {
    return std::nullopt;
  }
  StreamState& stream = *mirror->write.stream;
  poll(stream, mirror->memory, mirror->bytes);
  stream.set_complete(mirror->earlier);
  return Scalar::from_bytes(array.dtype(), mirror->memory);
}

}  // namespace cupola
