#include "exec/launch/use_order.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>

#include "base/mutant.h"
#include "driver/health.h"
#include "memory/pressure/spill.h"
#include "runtime/capture.h"

namespace cupola {

OrderedUse::OrderedUse(const std::shared_ptr<StreamState>& stream, std::span<const Array> reads,
                       std::span<const Array> writes)
    : stream_(stream) {
  entries_.reserve(reads.size() + writes.size());
  for (const Array& array : writes) add(array, true);
  for (const Array& array : reads) add(array, false);
  lock();
}

OrderedUse::OrderedUse(const std::shared_ptr<StreamState>& stream, ArrayPointers reads,
                       std::span<const Array> writes)
    : stream_(stream) {
  entries_.reserve(reads.all.size() + writes.size());
  for (const Array& array : writes) add(array, true);
  for (const Array* array : reads.all) add(*array, false);
  lock();
}

// Each storage once, in one order for all threads; writes come first.
void OrderedUse::add(const Array& array, bool is_write) {
  Storage* const storage = array.state().storage.get();
  const auto at = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return std::less_equal<>()(storage, entry.storage);
  });
  if (at != entries_.end() && at->storage == storage) return;
  UseRecord& uses = capture_ ? capture_->uses_of(array.state().storage) : storage->uses;
  entries_.insert(at, {storage, is_write, &uses});
}

void OrderedUse::lock() {
  if (!lock_all()) [[unlikely]]
    bring_all_home();
  wait_for_others();
}

bool OrderedUse::lock_all() {
  bool are_home = true;
  for (Entry& entry : entries_) {
    entry.lock = std::move(StorageLock(*entry.storage).lock());
    if (entry.is_write && !CUPOLA_MUTANT(overtake_host_readers)) {
      entry.storage->host_readers.wait(entry.lock);
    }
    if (entry.storage->residence) [[unlikely]] {
      note_use(*entry.storage);
      are_home &= !is_away(*entry.storage);
    }
  }
  return are_home;
}

// Nobody else moves them until their locks are held again.
void OrderedUse::bring_all_home() {
  std::vector<Storage*> storages;
  for (Entry& entry : entries_) {
    entry.lock.unlock();
    storages.push_back(entry.storage);
  }
  const SpillTurn turn;
  bring_home(turn, storages);
  lock_all();
}

void OrderedUse::wait_for_others() {
  if (CUPOLA_MUTANT(drop_wait)) return;
  for (const Entry& entry : entries_) {
    const UseRecord& uses = *entry.uses;
    if (entry.is_write) {
      uses.for_each([&](const auto& stream, std::uint64_t sequence) {
        stream_->wait_for(*stream, sequence);
      });
    } else if (uses.write.stream) {
      stream_->wait_for(*uses.write.stream, uses.write.sequence);
    }
  }
}

OrderedUse::~OrderedUse() {
  try {
    if (!is_recorded_) record();
  } catch (...) {
    // The device has failed, and does nothing more.
  }
}

void OrderedUse::record() {
  is_recorded_ = true;
  const std::uint64_t sequence = stream_->advance();
  for (const Entry& entry : entries_) {
    UseRecord& uses = *entry.uses;
    if (entry.is_write) {
      if (capture_) capture_->note_write(*entry.storage);
      if (CUPOLA_MUTANT(forget_writes)) continue;
      uses.write = {stream_, sequence};
      uses.forget_values();
      uses.read_by_writer = 0;
      uses.reads.clear();
    } else {
      note_read(uses, stream_, sequence);
    }
  }
}

namespace {

constexpr std::size_t kFewReads = 8;

bool is_idle(StreamState& stream) noexcept {
  const UnreportedFaults background;
  try {
    return stream.is_idle();
  } catch (...) {
    return false;
  }
}

// Reads that are done, of which writes need to know nothing. Now and then: as often as the number
// of records doubles.
void forget_done_reads(std::vector<StorageUse>& reads) {
  if (reads.size() < kFewReads || !std::has_single_bit(reads.size())) return;
  std::erase_if(reads, [](const StorageUse& read) {
    return read.stream->is_known_complete(read.sequence) || is_idle(*read.stream);
  });
}

}  // namespace

void note_read(UseRecord& uses, const std::shared_ptr<StreamState>& stream,
               std::uint64_t sequence) {
  if (uses.write.stream && uses.write.stream->id() == stream->id()) {
    uses.read_by_writer = sequence;
    return;
  }
  if (CUPOLA_MUTANT(forget_reads)) return;
  for (StorageUse& read : uses.reads) {
    if (read.stream->id() != stream->id()) continue;
    read.sequence = sequence;
    return;
  }
  forget_done_reads(uses.reads);
  uses.reads.push_back({stream, sequence});
}

}  // namespace cupola
