#pragma once
// Keeps work on different streams in order: each storage remembers its last write and the reads
// since, and a use on another stream first waits for those that it must not overtake.

#include <mutex>
#include <span>
#include <vector>

#include "core/array_state.h"
#include "runtime/stream.h"

namespace cupola {

// Holds the storages' locks from the first wait until the uses are recorded, so that two threads
// that use the same storage on two streams get one order.
class OrderedUse {
 public:
  OrderedUse(const std::shared_ptr<StreamState>& stream, std::span<const Array> reads,
             std::span<const Array> writes);
  // Call after the work was handed to the platform.
  void record();

 private:
  struct Entry {
    Storage* storage;
    bool is_write;
  };
  void wait_for_others();
  void record_read(UseRecord& uses, std::uint64_t sequence) const;

  const std::shared_ptr<StreamState>& stream_;
  std::vector<Entry> entries_;
  std::vector<std::unique_lock<Mutex>> locks_;
};

}  // namespace cupola
