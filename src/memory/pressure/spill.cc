#include "memory/pressure/spill.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/mutant.h"
#include "base/process/fork.h"
#include "base/threads/lazy.h"
#include "cupola/error.h"
#include "memory/allocator.h"
#include "memory/pressure/reclaim.h"
#include "runtime/capture.h"
#include "runtime/completion.h"
#include "runtime/observer.h"

namespace cupola {

namespace {

using StoragePointer = std::shared_ptr<Storage>;

struct Movables {
  Movables() {
    at_fork(ForkLayer::memory, {[this] { mutex.lock(); }, [this] { mutex.unlock(); },
                                [this] {
                                  // What other threads were giving back is lost.
                                  std::erase_if(all,
                                                [](auto& one) { return one.second.expired(); });
                                  mutex.unlock();
                                }});
  }
  std::mutex mutex;
  std::unordered_map<const Storage*, std::weak_ptr<Storage>> all;
};
Movables& movables() {
  static constinit Lazy<Movables> instance;
  return *instance;
}

constinit std::atomic<bool> has_movables{false};
constinit std::atomic<std::uint64_t> clock_of_uses{0};

struct Found {
  std::vector<StoragePointer> storages;  // the least recently used first
  bool are_all = true;                   // else others are going
};

// Those of the pool.
Found movable_in(const PoolCore& core, std::span<Storage* const> kept) {
  Found result;
  std::vector<std::pair<std::uint64_t, StoragePointer>> found;
  std::vector<StoragePointer> others;  // let go of without the lock
  {
    const std::lock_guard lock(movables().mutex);
    for (const auto& [address, weak] : movables().all) {
      StoragePointer storage = weak.lock();
      if (!storage) {
        result.are_all = false;
        continue;
      }
      const Residence& residence = *storage->residence;
      const bool is_kept = std::find(kept.begin(), kept.end(), storage.get()) != kept.end();
      if (residence.core.get() != &core || is_kept) {
        others.push_back(std::move(storage));
      } else {
        found.emplace_back(residence.last_use.load(std::memory_order_relaxed), std::move(storage));
      }
    }
  }
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [last_use, storage] : found) result.storages.push_back(std::move(storage));
  return result;
}

void give_pinned(const Device& device, void* host, std::size_t bytes) noexcept {
  pinned_pool(device).deallocate(host, bytes, nullptr);
}

// Once the stream is done with it.
void retire_pinned(const StreamPointer& stream, void* host, std::size_t bytes) noexcept {
  retire(stream,
         {[device = stream->device(), host, bytes] { give_pinned(device, host, bytes); }, bytes});
}

ObservedWork observed(WorkKind kind, StreamState& stream, std::size_t size) {
  const auto bytes = static_cast<std::int64_t>(size);
  return ObservedWork([&] {
    const bool is_out = kind == WorkKind::to_host;
    return Work{.kind = kind,
                .name = is_out ? "spill to the host" : "bring back from the host",
                .bytes_read = is_out ? bytes : 0,
                .bytes_written = is_out ? 0 : bytes,
                .stream = stream};
  });
}

// The storage's lock is held, here as below. Throws OutOfMemoryError where there is no pinned
// memory: nothing has changed.
void move_out(Storage& storage) {
  Residence& residence = *storage.residence;
  const StreamPointer& stream = current_stream(storage.device());
  check_not_capturing(*stream, "to move arrays to the host for want of memory");
  const std::size_t bytes = storage.bytes();
  void* const host = pinned_pool(stream->device()).allocate(bytes, nullptr);
  try {
    if (!CUPOLA_MUTANT(spill_without_waiting)) {
      storage.uses.for_each([&](const StreamPointer& user, std::uint64_t sequence) {
        stream->wait_for(*user, sequence);
      });
    }
    {
      const ObservedWork work = observed(WorkKind::to_host, *stream, bytes);
      stream->driver().copy_to_host_async(host, storage.data(), bytes, stream->handle());
      stream->advance();
    }
    stream->synchronize();
  } catch (...) {
    retire_pinned(stream, host, bytes);
    throw;
  }
  residence.parts = residence.core->unmap(storage.data());
  residence.host = host;
  residence.core->count_spill(SpillDirection::out, bytes);
  if (is_observed()) tell_spill({SpillDirection::out, bytes, noted_position});
}

// The memory is there again.
void copy_back(Storage& storage) {
  Residence& residence = *storage.residence;
  const StreamPointer& stream = current_stream(storage.device());
  check_not_capturing(*stream, "to bring an array back that was moved to the host");
  const std::size_t bytes = storage.bytes();
  {
    const ObservedWork work = observed(WorkKind::to_device, *stream, bytes);
    stream->driver().copy_from_host_async(storage.data(), residence.host, bytes, stream->handle());
  }
  UseRecord& uses = storage.uses;
  uses.write = {stream, stream->advance()};
  uses.read_by_writer = 0;
  uses.reads.clear();
  retire_pinned(stream, std::exchange(residence.host, nullptr), bytes);
  residence.core->count_spill(SpillDirection::in, bytes);
  if (is_observed()) tell_spill({SpillDirection::in, bytes, noted_position});
}

enum class Place : std::uint8_t { as_before, anywhere };

// False where there is no room, and `cause` says which.
bool try_to_map(Storage& storage, Place place, std::string& cause) {
  Residence& residence = *storage.residence;
  try {
    residence.core->map(storage.data(), residence.parts);
    return true;
  } catch (const OutOfMemoryError& error) {
    cause = error.what();
  }
  if (place == Place::as_before) return false;
  try {
    const auto parts = residence.core->plan_again(residence.parts);
    residence.core->map(storage.data(), parts);
    residence.parts = parts;
    return true;
  } catch (const OutOfMemoryError&) {
    return false;
  }
}

bool try_to_return(Storage& storage, Place place, std::string& cause) {
  const std::lock_guard lock(storage.mutex);
  if (!is_away(storage)) return true;
  if (!try_to_map(storage, place, cause)) return false;
  try {
    copy_back(storage);
  } catch (...) {
    wait_quietly(current_stream(storage.device()));  // a part may be on its way
    storage.residence->core->unmap(storage.data());
    throw;
  }
  return true;
}

std::size_t trim(PoolCore& core) {
  drain();
  core.gather();
  return core.trim(std::nullopt);
}

// What frees go back to once the work in flight is done.
bool trim_what_is_in_flight(PoolCore& core) {
  try {
    settle(core.device());
  } catch (const Error&) {
    // Reported to whoever uses the stream next.
  }
  return trim(core) > 0;
}

// False: it is not to be moved.
bool try_to_spill(Storage& storage) {
  const Residence& residence = *storage.residence;
  if (residence.stays || residence.host) return false;
  move_out(storage);
  return true;
}

// Moves the least recently used one that may be moved.
bool spill_one(const std::vector<StoragePointer>& storages) {
  try {
    for (const StoragePointer& storage : storages) {
      if (storage->mutex.is_abandoned()) continue;
      const std::unique_lock lock(storage->mutex, std::try_to_lock);
      if (!lock || storage->host_readers.any()) continue;
      if (try_to_spill(*storage)) return true;
    }
    // Threads that are handing over work on them need nothing of this one.
    for (const StoragePointer& storage : storages) {
      if (storage->mutex.is_abandoned()) continue;
      std::unique_lock lock(storage->mutex);
      storage->host_readers.wait(lock);
      if (try_to_spill(*storage)) return true;
    }
  } catch (const OutOfMemoryError&) {
    // There is no pinned memory.
  }
  return false;
}

void bring_one_home(const SpillTurn& turn, Storage& storage, std::span<Storage* const> kept) {
  PoolCore& core = *storage.residence->core;
  std::string cause;
  if (try_to_return(storage, Place::as_before, cause)) return;
  if (trim(core) > 0 && try_to_return(storage, Place::as_before, cause)) return;
  while (!try_to_return(storage, Place::anywhere, cause)) {
    if (make_room(turn, core, kept)) continue;
    throw_out_of_memory(core.device(), storage.bytes(), cause);
  }
}

}  // namespace

bool may_spill() { return has_movables.load(std::memory_order_relaxed); }

void note_use(const Storage& storage) {
  if (!storage.residence) return;
  storage.residence->last_use.store(clock_of_uses.fetch_add(1, std::memory_order_relaxed) + 1,
                                    std::memory_order_relaxed);
}

void register_movable(const StoragePointer& storage) {
  note_use(*storage);
  has_movables.store(true, std::memory_order_relaxed);
  const std::lock_guard lock(movables().mutex);
  movables().all.emplace(storage.get(), storage);
}

void forget_movable(const Storage& storage) noexcept {
  const std::lock_guard lock(movables().mutex);
  movables().all.erase(&storage);
}

void drop_away(Storage& storage) noexcept {
  Residence& residence = *storage.residence;
  give_pinned(storage.device(), residence.host, storage.bytes());
  residence.core->drop(storage.data(), residence.parts);
}

void bring_home(const SpillTurn& turn, std::span<Storage* const> storages) {
  for (Storage* storage : storages) {
    if (storage->residence) bring_one_home(turn, *storage, storages);
  }
}

bool make_room(const SpillTurn& turn, PoolCore& core, std::span<Storage* const> kept) {
  Found found = movable_in(core, kept);
  if (spill_one(found.storages)) return true;
  found.storages.clear();  // some may be held by nobody else any more
  if (turn.wait_for_departures() || !found.are_all) {
    trim(core);
    return true;
  }
  return trim_what_is_in_flight(core) || turn.wait_for_departures();
}

}  // namespace cupola
