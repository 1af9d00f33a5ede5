#pragma once
// Arrays of a pool that go to pinned host memory where its devices have no room, and come back when
// they are used: whole ones, the least recently used first. Their addresses stay.
//
// Order: before the bytes are read, the copy waits for every use of the storage that is recorded;
// the copy back is recorded as its last write. One thread at a time moves anything, and what it is
// at work on is moved by nobody else: so operands are brought back together
// (memory/pressure/spill_turn.h).

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/storage.h"
#include "memory/pool/pool_core.h"
#include "memory/pressure/spill_turn.h"

namespace cupola {

// Where the memory of a storage is that may be moved. The storage's mutex guards it, but for
// `last_use`.
struct Residence {
  explicit Residence(std::shared_ptr<PoolCore> core_) : core(std::move(core_)) {}

  const std::shared_ptr<PoolCore> core;
  std::atomic<std::uint64_t> last_use{0};
  bool stays = false;              // others have the address
  void* host = nullptr;            // the bytes, while they are away; else null
  std::vector<StripedPart> parts;  // what the memory was made of then
};

// The storage, whose memory is a block of its own of the pool, may be moved from now on. It calls
// forget_movable() when it goes.
void register_movable(const std::shared_ptr<Storage>& storage);
void forget_movable(const Storage& storage) noexcept;
// Gives up what a storage has that goes while it is away.
void drop_away(Storage& storage) noexcept;

// Whether any pool moves arrays: asked where there is something to be noted for them.
bool may_spill();
// The storage is used now. The others are moved before it.
void note_use(const Storage& storage);
// Its lock is held.
inline bool is_away(const Storage& storage) { return storage.residence && storage.residence->host; }

// In that turn, with no storage's lock held.
// All that are away come back; none of them is moved to make room for another. Throws
// OutOfMemoryError with the account of the devices: what came back until then is there.
void bring_home(const SpillTurn& turn, std::span<Storage* const> storages);
// Moves the least recently used array of the pool that may be moved, but for `kept`; if there is
// none, waits for memory that is on its way back. False: nothing came of it, or there is no pinned
// memory.
bool make_room(const SpillTurn& turn, PoolCore& core, std::span<Storage* const> kept = {});

}  // namespace cupola
