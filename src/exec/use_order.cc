#include "exec/use_order.h"

#include <algorithm>

namespace cupola {

OrderedUse::OrderedUse(const std::shared_ptr<StreamState>& stream, std::span<const Array> reads,
                       std::span<const Array> writes)
    : stream_(stream) {
  for (const Array& array : writes) entries_.push_back({array.state().storage.get(), true});
  for (const Array& array : reads) entries_.push_back({array.state().storage.get(), false});
  // One order of locking for all threads; of equal storages the write stays.
  std::stable_sort(entries_.begin(), entries_.end(),
                   [](const Entry& a, const Entry& b) { return a.storage < b.storage; });
  const auto last =
      std::unique(entries_.begin(), entries_.end(),
                  [](const Entry& a, const Entry& b) { return a.storage == b.storage; });
  entries_.erase(last, entries_.end());
  for (const Entry& entry : entries_) locks_.emplace_back(entry.storage->mutex);
  wait_for_others();
}

void OrderedUse::wait_for_others() {
  const auto wait_for = [&](const StorageUse& use) {
    if (use.stream && use.stream->id() != stream_->id()) stream_->wait_for(*use.stream);
  };
  for (const Entry& entry : entries_) {
    wait_for(entry.storage->uses.write);
    if (!entry.is_write) continue;
    for (const StorageUse& read : entry.storage->uses.reads) wait_for(read);
  }
}

void OrderedUse::record() {
  for (const Entry& entry : entries_) {
    UseRecord& uses = entry.storage->uses;
    if (entry.is_write) {
      uses.write = {stream_};
      uses.reads.clear();
      continue;
    }
    const bool known = std::any_of(uses.reads.begin(), uses.reads.end(), [&](const auto& read) {
      return read.stream->id() == stream_->id();
    });
    if (!known && !(uses.write.stream && uses.write.stream->id() == stream_->id())) {
      uses.reads.push_back({stream_});
    }
  }
}

}  // namespace cupola
