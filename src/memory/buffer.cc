#include "memory/buffer.h"

#include <utility>

#include "base/mutant.h"
#include "base/threads/recycling.h"
#include "driver/registry.h"
#include "memory/pressure/spill.h"
#include "runtime/completion.h"
#include "runtime/live_streams.h"

namespace cupola {

namespace {

using Streams = std::vector<StreamPointer>;

// The streams whose uses may not be done yet, without `home`.
Streams unfinished_streams(const UseRecord& uses, const StreamPointer& home) {
  Streams streams;
  uses.for_each([&](const StreamPointer& stream, std::uint64_t sequence) {
    const bool is_home = home && stream->id() == home->id();
    if (CUPOLA_MUTANT(free_without_waiting) && home) return;
    if (CUPOLA_MUTANT(no_keepalive) && !home) return;
    if (!is_home && !stream->is_known_complete(sequence)) streams.push_back(stream);
  });
  return streams;
}

// In a forked child, for a storage that a thread of the parent was using at the fork, nobody knows
// for what. Neither its memory nor the record, which the thread may have been changing, is
// released.
void lose(UseRecord& uses) { new UseRecord(std::exchange(uses, UseRecord{})); }

// What libraries use that were not told a stream: the legacy default stream, which waits for all
// streams but the non-blocking ones.
void add_borrowers(const Device& device, Streams& streams) noexcept {
  if (!driver(device).traits().has_legacy_stream) return;  // hosts are done when they let go
  try {
    StreamPointer legacy = adopt_stream(device, reinterpret_cast<void*>(1), nullptr);
    legacy->advance();
    streams.push_back(std::move(legacy));
  } catch (...) {
    // The device failed: nothing runs there any more.
  }
}

// Where a storage's memory comes from, and the stream in whose order it goes back.
struct Origin {
  ResourcePointer resource;
  StreamPointer home;
};

// Goes back to the pool in order of its home stream, once other streams are done with it: none
// waits for another because memory is freed.
void give_back(Storage& storage, const Origin& origin) {
  const auto& [resource, home] = origin;
  Streams others = unfinished_streams(storage.uses, home);
  if (storage.is_lent) add_borrowers(storage.device(), others);
  if (others.empty()) {
    resource->deallocate(storage.data(), storage.bytes(), home);
    return;
  }
  const auto release = [origin, data = storage.data(), bytes = storage.bytes()] {
    origin.resource->deallocate(data, bytes, origin.home);
  };
  retire(others, {release, storage.bytes()});
}

// Memory is used in the order of its home stream: what other streams do with it comes after the
// work there that still uses it for what was in it before.
void begin_uses(UseRecord& uses, const StreamPointer& home) {
  if (!home || CUPOLA_MUTANT(forget_home)) return;
  const std::uint64_t sequence = home->submitted();
  if (!home->is_known_complete(sequence)) uses.write = {home, sequence};
}

class Buffer final : public Storage {
 public:
  Buffer(const Device& device, void* data, std::size_t bytes, Origin origin)
      : Storage(device, data, bytes), origin_(std::move(origin)) {
    begin_uses(uses, origin_.home);
  }
  ~Buffer() override {
    if (mutex.is_abandoned()) {
      lose(uses);
    } else {
      give_back(*this, origin_);
    }
  }
  ResourcePointer likewise() const override { return origin_.resource->likewise(); }

 private:
  Origin origin_;
};

// The same of a pool that moves arrays to the host.
class MovableBuffer final : public Storage {
 public:
  MovableBuffer(const Device& device, void* data, std::size_t bytes, Origin origin)
      : Storage(device, data, bytes),
        origin_(std::move(origin)),
        residence_(origin_.resource->spilling()) {
    residence = &residence_;
    begin_uses(uses, origin_.home);
  }
  ~MovableBuffer() override {
    const Departure departure;
    forget_movable(*this);
    if (mutex.is_abandoned()) {
      lose(uses);
    } else if (is_away(*this)) {
      drop_away(*this);
    } else {
      give_back(*this, origin_);
    }
  }

 private:
  Origin origin_;
  Residence residence_;
};

std::shared_ptr<Storage> make_movable(const Device& device, void* data, std::size_t bytes,
                                      Origin origin) {
  auto storage = make_recycled<MovableBuffer>(device, data, bytes, std::move(origin));
  register_movable(storage);
  return storage;
}

// The owner stays until all streams are done with the memory.
class ForeignMemory final : public Storage {
 public:
  ForeignMemory(const Device& device, void* data, std::size_t bytes, std::shared_ptr<void> owner,
                bool writable)
      : Storage(device, data, bytes), owner_(std::move(owner)), writable_(writable) {
    is_exposed = true;
  }
  ~ForeignMemory() override {
    if (mutex.is_abandoned()) {
      new std::shared_ptr<void>(std::move(owner_));
      lose(uses);
      return;
    }
    const Streams streams = unfinished_streams(uses, nullptr);
    if (!streams.empty()) retire(streams, {[owner = std::move(owner_)] {}, bytes()});
  }
  bool writable() const override { return writable_; }

 private:
  std::shared_ptr<void> owner_;
  bool writable_;
};

}  // namespace

std::shared_ptr<Storage> allocate_storage(const Device& device, std::size_t bytes,
                                          const StreamPointer& stream) {
  if (bytes == 0) return borrow_storage(device, nullptr, 0, nullptr, true);
  return allocate_storage_from(current_resource(device), device, bytes, stream);
}

std::shared_ptr<Storage> allocate_storage_from(ResourcePointer resource, const Device& device,
                                               std::size_t bytes, const StreamPointer& stream) {
  PoolCore* const spilling = resource->spilling().get();
  const Passage passage(spilling != nullptr);
  void* data = resource->allocate(bytes, stream);
  Origin origin{std::move(resource), stream};
  if (spilling && spilling->is_movable(data)) [[unlikely]]
    return make_movable(device, data, bytes, std::move(origin));
  return make_recycled<Buffer>(device, data, bytes, std::move(origin));
}

std::shared_ptr<Storage> find_storage(const Device& device, std::size_t bytes) {
  Pool* pool = bytes == 0 ? nullptr : serving_pool(device);
  if (!pool) return nullptr;
  const StreamPointer& stream = current_stream(device);
  void* data = pool->find(bytes, stream);
  if (!data) return nullptr;
  Origin origin{ResourcePointer(std::shared_ptr<void>(), pool), stream};
  return make_recycled<Buffer>(device, data, bytes, std::move(origin));
}

std::shared_ptr<Storage> adopt_storage(const Device& device, void* data, std::size_t bytes,
                                       ResourcePointer resource, const StreamPointer& stream) {
  return make_recycled<Buffer>(device, data, bytes, Origin{std::move(resource), stream});
}

std::shared_ptr<Storage> borrow_storage(const Device& device, void* data, std::size_t bytes,
                                        std::shared_ptr<void> owner, bool writable) {
  return std::make_shared<ForeignMemory>(device, data, bytes, std::move(owner), writable);
}

}  // namespace cupola
