#include "exec/transfers/staging.h"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "base/copy_apart.h"
#include "base/mutant.h"
#include "exec/transfers/copy_threads.h"
#include "exec/transfers/staging_slots.h"

namespace cupola {

namespace {

// Copies below this go in short pieces, so that several threads take part early.
constexpr std::size_t kLongCopy = std::size_t{16} << 20;
constexpr std::size_t kPrefetch = 2;  // slots of a thread: one is filled while the other is sent
constexpr std::size_t kGroup = 8;     // slots of a queued copy
constexpr std::size_t kAtOnce = 4;    // slots of a copy that may not wait
constexpr int kThreadsIn = 12;
constexpr int kThreadsOut = 16;                           // they fill pages
constexpr std::size_t kTouchStep = std::size_t{1} << 20;  // half a huge page

StagingSlots& slots_for(const StreamState& stream, std::size_t bytes) {
  const PlatformKind platform = stream.device().platform();
  return bytes < kLongCopy ? short_slots(platform) : long_slots(platform);
}

struct Piece {
  std::size_t first = 0;
  std::size_t bytes = 0;
};

// Hands out the pieces of a copy: in order, or, where an array lies on several devices, in turns of
// as many stretches, so that the links of all are in use at the same time.
class Pieces {
 public:
  Pieces(std::size_t bytes, std::size_t piece, std::size_t stretches = 1)
      : bytes_(bytes), piece_(piece), stretches_(stretches) {}
  std::size_t count() const { return (bytes_ + piece_ - 1) / piece_; }
  // False: there are no more.
  bool take(Piece& piece) {
    const std::size_t in_stretch = (count() + stretches_ - 1) / stretches_;
    for (;;) {
      const std::size_t number = next_.fetch_add(1);
      if (number >= in_stretch * stretches_) return false;
      const std::size_t first = (number % stretches_ * in_stretch + number / stretches_) * piece_;
      if (first >= bytes_) continue;  // the last stretch is shorter
      piece = {first, std::min(piece_, bytes_ - first)};
      return true;
    }
  }
  int helpers(int threads) const {
    if (CUPOLA_MUTANT(stage_alone)) return 0;
    return static_cast<int>(std::min(count(), static_cast<std::size_t>(copy_threads(threads)))) - 1;
  }

 private:
  const std::size_t bytes_, piece_, stretches_;
  std::atomic<std::size_t> next_{0};
};

// A thread's slots in turn.
class SlotsInTurn {
 public:
  SlotsInTurn(StreamState& stream, StagingSlots& slots) : stream_(stream), slots_(slots) {}
  // Idle; none where all are in the hands of others.
  StagingSlot* next() {
    turn_ = (turn_ + 1) % kPrefetch;
    StagingSlot& slot = mine_[turn_];
    if (slot) {
      slot.wait();
    } else {
      slot = slots_.take(stream_);
    }
    if (slot) return &slot;
    StagingSlot& other = mine_[(turn_ + 1) % kPrefetch];
    if (!other) return nullptr;
    other.wait();
    return &other;
  }

 private:
  StreamState& stream_;
  StagingSlots& slots_;
  StagingSlot mine_[kPrefetch];
  std::size_t turn_ = 0;
};

char* at(void* memory, const Piece& piece) { return static_cast<char*>(memory) + piece.first; }
const char* at(const void* memory, const Piece& piece) {
  return static_cast<const char*>(memory) + piece.first;
}

void send(StreamState& stream, SlotsInTurn& slots, void* target, const void* source,
          const Piece& piece) {
  StagingSlot* slot = slots.next();
  if (slot == nullptr) {
    stream.driver().copy_from_host(at(target, piece), at(source, piece), piece.bytes,
                                   stream.handle());
    return;
  }
  copy_apart(slot->data(), at(source, piece), piece.bytes);  // the device finds it in the cache
  stream.driver().copy_from_pinned_async(at(target, piece), slot->data(), piece.bytes,
                                         stream.handle());
  slot->mark(stream);
  if (CUPOLA_MUTANT(one_piece_at_a_time)) slot->wait();
}

// A piece on its way from the device.
struct Arrival {
  StagingSlot slot;
  Piece piece;
};

// False: there was no slot, and the piece has been copied without one.
bool fetch(StreamState& stream, StagingSlots& slots, void* target, const void* source,
           Arrival& arrival) {
  if (!arrival.slot) arrival.slot = slots.take(stream);
  const Piece& piece = arrival.piece;
  if (!arrival.slot) {
    stream.driver().copy_to_host(at(target, piece), at(source, piece), piece.bytes,
                                 stream.handle());
    return false;
  }
  stream.driver().copy_to_host_async(arrival.slot.data(), at(source, piece), piece.bytes,
                                     stream.handle());
  arrival.slot.mark(stream);
  return true;
}

// New memory gets its pages while the piece is on its way: the system fills them with zeros first,
// which then are in the cache.
void touch_pages(char* memory, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += kTouchStep) {
    std::atomic_ref(memory[i]).store(0, std::memory_order_relaxed);
  }
}

void unload(Arrival& arrival, void* target) {
  touch_pages(at(target, arrival.piece), arrival.piece.bytes);
  arrival.slot.wait();
  copy_apart(at(target, arrival.piece), arrival.slot.data(), arrival.piece.bytes);
}

// One piece is unloaded while the next is on its way.
void fetch_pieces(StreamState& stream, StagingSlots& slots, Pieces& pieces, void* target,
                  const void* source) {
  Arrival arrivals[kPrefetch];
  bool coming[kPrefetch] = {};
  std::size_t turn = 0;
  for (bool more = true; more || coming[turn]; turn = (turn + 1) % kPrefetch) {
    if (coming[turn]) unload(arrivals[turn], target);
    more = more && pieces.take(arrivals[turn].piece);
    coming[turn] = more && fetch(stream, slots, target, source, arrivals[turn]);
  }
}

}  // namespace

void stage_from_host(StreamState& stream, void* target, const void* source, std::size_t bytes) {
  StagingSlots& slots = slots_for(stream, bytes);
  Pieces pieces(bytes, slots.slot_bytes(), stream.device().member_count());
  run_with_helpers(pieces.helpers(kThreadsIn), [&] {
    SlotsInTurn mine(stream, slots);
    for (Piece piece; pieces.take(piece);) send(stream, mine, target, source, piece);
  });
}

bool try_stage_from_host(StreamState& stream, void* target, const void* source, std::size_t bytes) {
  StagingSlots& pool = short_slots(stream.device().platform());
  if (bytes > kAtOnce * pool.slot_bytes()) return false;
  StagingSlot slots[kAtOnce];
  Pieces pieces(bytes, pool.slot_bytes());
  for (std::size_t i = 0; i < pieces.count(); ++i) {
    slots[i] = pool.take(stream);
    if (!slots[i]) return false;
  }
  Piece piece;
  for (StagingSlot* slot = slots; pieces.take(piece); ++slot) {
    copy_apart(slot->data(), at(source, piece), piece.bytes);
    stream.driver().copy_from_pinned_async(at(target, piece), slot->data(), piece.bytes,
                                           stream.handle());
    slot->mark(stream);
  }
  return true;
}

void stage_to_host(StreamState& stream, void* target, const void* source, std::size_t bytes) {
  StagingSlots& slots = slots_for(stream, bytes);
  Pieces pieces(bytes, slots.slot_bytes(), stream.device().member_count());
  run_with_helpers(pieces.helpers(kThreadsOut),
                   [&] { fetch_pieces(stream, slots, pieces, target, source); });
}

namespace {

// The slots of a queued copy: it uses them group by group, in the order of its stream.
class Group {
 public:
  Group(StreamState& stream, std::size_t bytes) {
    StagingSlots& pool = slots_for(stream, bytes);
    piece_ = pool.slot_bytes();
    const std::size_t wanted = std::min(kGroup, (bytes + piece_ - 1) / piece_);
    for (std::size_t i = 0; i < wanted; ++i) slots_.push_back(pool.take_or_make(stream));
  }
  std::size_t bytes() const { return slots_.size() * piece_; }
  // Calls function(slot's memory, first byte, bytes) for each part of so many bytes.
  template <typename Function>
  void for_each(std::size_t bytes, const Function& function) const {
    for (std::size_t i = 0; i * piece_ < bytes; ++i) {
      function(slots_[i].data(), i * piece_, std::min(piece_, bytes - i * piece_));
    }
  }

 private:
  std::size_t piece_ = 0;
  std::vector<StagingSlot> slots_;
};

}  // namespace

std::shared_ptr<void> queue_from_host(StreamState& stream, void* target, const void* source,
                                      std::size_t bytes) {
  Driver& driver = stream.driver();
  if (CUPOLA_MUTANT(wait_to_queue)) stream.synchronize();
  const auto group = std::make_shared<Group>(stream, bytes);
  for (std::size_t first = 0; first < bytes; first += group->bytes()) {
    const std::size_t size = std::min(group->bytes(), bytes - first);
    const char* from = static_cast<const char*>(source) + first;
    char* to = static_cast<char*>(target) + first;
    driver.run_on_host(
        [group, from, size] {
          group->for_each(size, [&](char* slot, std::size_t offset, std::size_t count) {
            copy_in_parallel(slot, from + offset, count);
          });
        },
        stream.handle());
    group->for_each(size, [&](char* slot, std::size_t offset, std::size_t count) {
      driver.copy_from_host_async(to + offset, slot, count, stream.handle());
    });
  }
  return group;
}

std::shared_ptr<void> queue_to_host(StreamState& stream, void* target, const void* source,
                                    std::size_t bytes) {
  Driver& driver = stream.driver();
  const auto group = std::make_shared<Group>(stream, bytes);
  for (std::size_t first = 0; first < bytes; first += group->bytes()) {
    const std::size_t size = std::min(group->bytes(), bytes - first);
    const char* from = static_cast<const char*>(source) + first;
    char* to = static_cast<char*>(target) + first;
    group->for_each(size, [&](char* slot, std::size_t offset, std::size_t count) {
      driver.copy_to_host_async(slot, from + offset, count, stream.handle());
    });
    driver.run_on_host(
        [group, to, size] {
          group->for_each(size, [&](char* slot, std::size_t offset, std::size_t count) {
            copy_in_parallel(to + offset, slot, count);
          });
        },
        stream.handle());
  }
  return group;
}

}  // namespace cupola
