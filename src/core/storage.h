#pragma once
// A buffer that views share. Storage knows its device, and which streams have used it, so that a
// use on another stream can wait and a release is ordered after all uses.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/threads/mutex.h"
#include "core/host_readers.h"
#include "cupola/device.h"
#include "cupola/dtype.h"

namespace cupola {

class Resource;     // memory/resources/resource.h
class StreamState;  // runtime/stream.h

// Work of a stream, by its number there.
struct StorageUse {
  std::shared_ptr<StreamState> stream;
  std::uint64_t sequence = 0;
};

struct Mirror;
struct Residence;  // memory/pressure/spill.h

// What the elements, integers of a dtype, are known to lie within, both ends included; nothing
// where the least is larger.
struct KnownRange {
  std::int64_t least = 1;
  std::int64_t largest = 0;
  DType dtype = DType::int64;
  bool is_exact = false;  // both ends are among the elements
  bool is_known() const { return least <= largest; }
};

struct UseRecord {
  StorageUse write;  // before the first one, the work that the memory was taken after, if any
  // Host memory that the write puts the storage's only element in as well; see
  // exec/launch/mirror.h.
  std::shared_ptr<Mirror> mirror;
  KnownRange range;                  // of the elements that the write left
  std::uint64_t host_writes = 0;     // by calling threads, which are no work of a stream
  std::uint64_t read_by_writer = 0;  // last read since that write on the same stream
  std::vector<StorageUse> reads;     // since that write on other streams, at most one for each

  // The elements become others, or others may write there.
  void forget_values() {
    mirror = nullptr;
    range = {};
  }
  // Calls function(stream, sequence) for everything that a write must not overtake.
  template <typename Function>
  void for_each(const Function& function) const {
    if (write.stream) function(write.stream, std::max(write.sequence, read_by_writer));
    for (const StorageUse& read : reads) function(read.stream, read.sequence);
  }
};

class Storage {
 public:
  Storage(Device device, void* data, std::size_t bytes)
      : data_(data), bytes_(bytes), device_(device) {}
  virtual ~Storage() = default;
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  const Device& device() const { return device_; }
  // False for memory lent by others as read-only.
  virtual bool writable() const { return true; }
  // Memory that is divided as this one's, which was placed by hand; null: it was not.
  virtual std::shared_ptr<Resource> likewise() const { return nullptr; }

  // Pending computations that read the elements: writes come after them.
  std::atomic<std::uint32_t> pending_readers{0};
  // Others know the address, and may write there at any time: what reads the elements is computed
  // at the call.
  std::atomic<bool> is_exposed{false};

  // Set where the memory may be moved to the host meanwhile, and null for all other storage.
  Residence* residence = nullptr;

  // Guards what follows.
  Mutex mutex;
  UseRecord uses;
  // Another library has the address, and works on it on streams of its own.
  bool is_lent = false;
  // Threads that are copying to host memory, with work that they hand over bit by bit. Writes wait
  // for them.
  HostReaders host_readers;

 private:
  void* data_;
  std::size_t bytes_;
  Device device_;
};

}  // namespace cupola
