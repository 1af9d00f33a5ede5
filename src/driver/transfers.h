#pragma once
// Copies between memories.

#include <cstddef>
#include <cstdint>

#include "driver/handles.h"

namespace cupola {

// In the order of a stream.
class Transfers {
 public:
  virtual ~Transfers() = default;

  // `source` has been read when this returns.
  virtual void copy_from_host(void* target, const void* source, std::size_t bytes,
                              StreamHandle stream) = 0;
  // `target` holds the bytes when this returns.
  virtual void copy_to_host(void* target, const void* source, std::size_t bytes,
                            StreamHandle stream) = 0;

  // Without a copy on the way: `source` is read, or `target` written, at any time until the work is
  // done. Where pageable memory is not direct, the call may block for it.
  virtual void copy_from_host_async(void* target, const void* source, std::size_t bytes,
                                    StreamHandle stream) = 0;
  virtual void copy_to_host_async(void* target, const void* source, std::size_t bytes,
                                  StreamHandle stream) = 0;
  // As copy_from_host_async, from memory that allocate() has made pinned. The platform may go
  // another way where many streams copy.
  virtual void copy_from_pinned_async(void* target, const void* source, std::size_t bytes,
                                      StreamHandle stream) {
    copy_from_host_async(target, source, bytes, stream);
  }

  // As copy_to_host_async, to a caller that waits for the stream before it goes on: `target` may be
  // on its stack. A forked child does not have that caller, and does not do what had not begun.
  virtual void copy_to_caller(void* target, const void* source, std::size_t bytes,
                              StreamHandle stream) {
    copy_to_host_async(target, source, bytes, stream);
  }

  // Between two devices of this platform, or within one; asynchronous. The devices are those
  // of the memory; the stream may belong to either.
  virtual void copy(void* target, int target_device, const void* source, int source_device,
                    std::size_t bytes, StreamHandle stream) = 0;
  // Every byte becomes `value`; asynchronous.
  virtual void fill_bytes(void* target, std::uint8_t value, std::size_t bytes,
                          StreamHandle stream) = 0;
};

}  // namespace cupola
