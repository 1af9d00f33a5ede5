#pragma once
// Where memory comes from. Stream-ordered: memory may be used on `stream` from the call on, and
// on other streams once they wait for it; at deallocation, work on `stream` may still use it.
//
// A null stream stands for the host's own order: the memory may be used at once by anybody, and at
// deallocation nothing uses it any more. Resources of memory that the host reads take it.
//
// Threads: every method may be called from any thread at any time. No resource holds a lock while
// it calls its upstream, a driver or a function of the user's.

#include <cstddef>
#include <memory>

#include "runtime/stream.h"

namespace cupola {

using StreamPointer = std::shared_ptr<StreamState>;

class PoolCore;  // memory/pool/pool_core.h

struct ResourceProperties {
  Device device{PlatformKind::cpu, 0};  // whose memory it is; for host memory, whose platform pins
  bool device_accessible = false;       // kernels of the device may use it
  bool host_accessible = false;         // the host may read and write it
  bool managed = false;                 // takes advice and prefetches
  bool striped = false;                 // lies on several devices
  bool counts_on_device = true;         // takes memory of the device, not of the host
};

class Resource {
 public:
  virtual ~Resource() = default;
  // At least 256-byte aligned; `bytes` > 0. Throws OutOfMemoryError; then nothing has changed.
  virtual void* allocate(std::size_t bytes, const StreamPointer& stream) = 0;
  // `bytes` as at allocate.
  virtual void deallocate(void* pointer, std::size_t bytes,
                          const StreamPointer& stream) noexcept = 0;
  virtual ResourceProperties properties() const = 0;
  // Gives what it keeps for reuse back to where it came from; returns the bytes.
  virtual std::size_t trim() { return 0; }
  // What serves arrays that are computed from ones with this memory, where that was placed by hand:
  // it is divided likewise. Null: nobody has placed it.
  virtual std::shared_ptr<Resource> likewise() { return nullptr; }
  // The pool that moves arrays with this memory to the host (memory/pressure/spill.h); null: nobody
  // does.
  const std::shared_ptr<PoolCore>& spilling() const { return spilling_; }

 protected:
  std::shared_ptr<PoolCore> spilling_;
};

// Adaptors hold their upstream by such a value.
using ResourcePointer = std::shared_ptr<Resource>;

// Waits until the work on the stream is done, for what is given back to the system. A failure of
// the stream is left to whoever uses it next. Null: nothing to wait for.
void wait_quietly(const StreamPointer& stream) noexcept;

}  // namespace cupola
