#pragma once
// Memory that processes share.

#include <cstddef>

#include "driver/handles.h"
#include "driver/lacking.h"

namespace cupola {

// Device memory that several processes can map, by a file descriptor that is handed from one to
// the other. The system keeps the memory for as long as any process maps it or holds a descriptor
// of it, and no longer: the end of a process, however it comes, leaves nothing behind.
struct SharedMemory {
  void* pointer = nullptr;  // 256-byte aligned; differs between processes
  std::size_t bytes = 0;    // whole pages of the platform
  int descriptor = -1;      // closed with the mapping; duplicates of it go to other processes
};

// Between processes of one machine.
class MemorySharing {
 public:
  virtual ~MemorySharing() = default;

  // New memory of at least `bytes` > 0 on the device. Throws OutOfMemoryError, and LibraryError
  // where the device has no memory that processes can share.
  virtual SharedMemory create_shared(int /*device*/, std::size_t /*bytes*/) {
    throw_lacking("memory that processes share");
  }
  // Maps what another process (or this one) created on the same device; `bytes` as there. Takes
  // `descriptor` over where it succeeds. Throws ValueError for a descriptor of something else.
  virtual SharedMemory map_shared(int /*device*/, int /*descriptor*/, std::size_t /*bytes*/) {
    throw_lacking("memory that processes share");
  }
  // Of either; no work that uses the memory may be in flight.
  virtual void unmap_shared(int /*device*/, const SharedMemory& /*memory*/) noexcept {}
};

}  // namespace cupola
