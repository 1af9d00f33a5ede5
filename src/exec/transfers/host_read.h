#pragma once
// A copy to host memory that is handed over to the platform bit by bit.

#include <mutex>

#include "core/storage.h"
#include "exec/launch/storage_lock.h"
#include "runtime/stream.h"

namespace cupola {

// While it lives, the storage's contents stay what they are: `stream` waits for the last write, and
// the next write waits for this thread. Other reads go on, in this way as well. All work on the
// storage must be done before it goes.
class HostRead {
 public:
  HostRead(StreamState& stream, Storage& storage) : storage_(storage) {
    const StorageLock lock = lock_at_home(storage);
    const StorageUse& write = storage.uses.write;
    if (write.stream) stream.wait_for(*write.stream, write.sequence);
    storage.host_readers.enter();
  }
  ~HostRead() {
    const std::lock_guard lock(storage_.mutex);
    storage_.host_readers.leave();
  }
  HostRead(const HostRead&) = delete;
  HostRead& operator=(const HostRead&) = delete;

 private:
  Storage& storage_;
};

}  // namespace cupola
