#pragma once
// Keeps work on different streams in order: each storage remembers its last write and the reads
// since, and a use on another stream first waits for those that it must not overtake.

#include <span>
#include <vector>

#include "base/threads/recycling.h"
#include "core/array_state.h"
#include "exec/launch/storage_lock.h"
#include "runtime/stream.h"

namespace cupola {

// The work of that number on the stream reads the storage, whose lock is held.
void note_read(UseRecord& uses, const std::shared_ptr<StreamState>& stream, std::uint64_t sequence);

// Arrays that lie apart.
struct ArrayPointers {
  explicit ArrayPointers(std::span<const Array* const> pointers) : all(pointers) {}
  std::span<const Array* const> all;
};

// What was moved to the host is there again when it is made, all of it; OutOfMemoryError: it does
// not fit.
//
// Holds the storages' locks from the first wait until the uses are recorded, so that two threads
// that use the same storage on two streams get one order.
class OrderedUse {
 public:
  OrderedUse(const std::shared_ptr<StreamState>& stream, std::span<const Array> reads,
             std::span<const Array> writes);
  OrderedUse(const std::shared_ptr<StreamState>& stream, ArrayPointers reads,
             std::span<const Array> writes);
  // Where handing over failed on the way, a part may have been handed over: it counts as a use.
  ~OrderedUse();
  OrderedUse(const OrderedUse&) = delete;
  OrderedUse& operator=(const OrderedUse&) = delete;
  // Call after the work was handed to the platform.
  void record();

 private:
  struct Entry {
    Storage* storage;
    bool is_write;
    UseRecord* uses;  // of the storage, or of the stream's capture
    std::unique_lock<Mutex> lock{};
  };
  void add(const Array& array, bool is_write);
  void lock();
  // False: some of them are not where they are to be used.
  bool lock_all();
  void bring_all_home();
  void wait_for_others();

  const std::shared_ptr<StreamState>& stream_;
  const std::shared_ptr<Capture> capture_ = stream_->capture();
  std::vector<Entry, RecyclingAllocator<Entry>> entries_;
  bool is_recorded_ = false;
};

}  // namespace cupola
