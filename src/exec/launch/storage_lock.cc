#include "exec/launch/storage_lock.h"

#include <utility>
#include <vector>

#include "base/mutant.h"
#include "driver/registry.h"
#include "memory/pressure/spill.h"
#include "runtime/live_streams.h"

namespace cupola {

namespace {

// `later` starts what comes after everything that is under way on the devices of its platform.
void wait_for_all(const StreamPointer& later) {
  for (const StreamPointer& stream : live_streams(later->device().platform())) {
    if (stream->id() == later->id()) continue;
    try {
      later->wait_for(*stream);
    } catch (...) {
      stream->synchronize();  // what cannot be ordered is waited for
    }
  }
}

void heal(Storage& storage) {
  // Its thread may have been changing it: it is left where it is.
  new UseRecord(std::exchange(storage.uses, UseRecord{}));
  if (!driver(storage.device()).traits().survives_fork) return;
  const StreamPointer& stream = current_stream(storage.device());
  wait_for_all(stream);
  storage.uses.write = {stream, stream->advance()};
}

}  // namespace

StorageLock::StorageLock(Storage& storage) : lock_(storage.mutex, std::defer_lock) {
  const bool is_abandoned = storage.mutex.is_abandoned();
  lock_.lock();
  if (is_abandoned && !CUPOLA_MUTANT(trust_lost_threads)) heal(storage);
}

StorageLock lock_at_home(Storage& storage) {
  note_use(storage);
  for (;;) {
    StorageLock lock(storage);
    if (!is_away(storage)) return lock;
    lock.lock().unlock();
    Storage* const one = &storage;
    bring_home(SpillTurn(), {&one, 1});
  }
}

StorageLock lock_at_home_for_good(Storage& storage) {
  StorageLock lock = lock_at_home(storage);
  if (storage.residence) storage.residence->stays = true;
  return lock;
}

}  // namespace cupola
