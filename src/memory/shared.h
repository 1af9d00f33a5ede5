#pragma once
// Blocks of device memory that several processes map. In each process a block is one storage, so
// that uses of it are ordered like those of any other memory; between processes nothing orders
// them but what the processes tell each other.
//
// The system counts who maps a block (Driver, "Sharing"): it needs no keeper, and a process that is
// killed gives back its share. Any thread may call anything here.

#include <array>
#include <memory>
#include <optional>

#include "core/storage.h"

namespace cupola {

// The same in every process, never reused.
using BlockIdentity = std::array<unsigned char, 16>;

struct SharedBlock {
  BlockIdentity identity{};
  std::size_t bytes = 0;
  int descriptor = -1;  // valid while the storage lives; duplicates of it go to other processes
};

// The block that the storage is; nothing for storage of another kind.
std::optional<SharedBlock> shared_block_of(const Storage& storage);

// A part of a block.
struct SharedSlice {
  std::shared_ptr<Storage> storage;
  std::size_t offset = 0;  // bytes, a multiple of 256
};
// Uninitialised memory, which nobody else has been given: a block of its own for large requests,
// the next part of one for small ones. `bytes` > 0. Throws OutOfMemoryError, and LibraryError where
// the device has no such memory.
SharedSlice allocate_shared(const Device& device, std::size_t bytes);

// The block of another process, or the storage that is here already. Takes block.descriptor over
// where it succeeds.
std::shared_ptr<Storage> attach_shared_block(const Device& device, const SharedBlock& block);

}  // namespace cupola
