#pragma once
// The lock that guards a storage's uses.

#include <mutex>

#include "core/storage.h"

namespace cupola {

// As std::unique_lock of storage.mutex. In a forked child it also heals a storage that a thread of
// the parent had locked at the fork: that thread may have handed over work that the uses do not
// tell, so the storage counts as written by the current stream of this thread, after everything
// that is under way.
class StorageLock {
 public:
  explicit StorageLock(Storage& storage);
  std::unique_lock<Mutex>& lock() { return lock_; }

 private:
  std::unique_lock<Mutex> lock_;
};

// The lock of a storage whose memory is on the device, and stays there while it is held.
StorageLock lock_at_home(Storage& storage);
// The same, and for the storage's life: others get the address.
StorageLock lock_at_home_for_good(Storage& storage);

}  // namespace cupola
