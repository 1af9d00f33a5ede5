#pragma once
// Storage whose memory the library owns, and storage that others own.

#include <memory>
#include <span>

#include "core/storage.h"
#include "memory/pool.h"

namespace cupola {

// The pool of a device; made on first use, never destroyed.
Pool& device_pool(const Device& device);

// Uninitialised memory from the device's pool, released in order of all its uses. 0 bytes give
// storage with a null pointer. Throws OutOfMemoryError with the device's account.
std::shared_ptr<Storage> allocate_storage(const Device& device, std::size_t bytes,
                                          const StreamPointer& stream);

// Memory of others on `device`; `owner` is kept until the storage is gone and its uses are done.
std::shared_ptr<Storage> borrow_storage(const Device& device, void* data, std::size_t bytes,
                                        std::shared_ptr<void> owner, bool writable);

}  // namespace cupola
