#pragma once
// Storage whose memory the library owns, and storage that others own.

#include <memory>
#include <span>

#include "core/storage.h"
#include "memory/allocator.h"

namespace cupola {

// Uninitialised memory of current_resource(device), released in order of all its uses. 0 bytes give
// storage with a null pointer. Throws OutOfMemoryError with the device's account.
std::shared_ptr<Storage> allocate_storage(const Device& device, std::size_t bytes,
                                          const StreamPointer& stream);
// The same of a given resource. `bytes` > 0.
std::shared_ptr<Storage> allocate_storage_from(ResourcePointer resource, const Device& device,
                                               std::size_t bytes, const StreamPointer& stream);

// Memory of others on `device`; `owner` is kept until the storage is gone and its uses are done.
std::shared_ptr<Storage> borrow_storage(const Device& device, void* data, std::size_t bytes,
                                        std::shared_ptr<void> owner, bool writable);

// The same on the calling thread's current stream, where nobody has to be asked or waited for: what
// the default pool finds (Pool::find). Null where there is no such memory.
std::shared_ptr<Storage> find_storage(const Device& device, std::size_t bytes);

// Memory that `resource` has handed out on `stream`; given back like that of allocate_storage.
std::shared_ptr<Storage> adopt_storage(const Device& device, void* data, std::size_t bytes,
                                       ResourcePointer resource, const StreamPointer& stream);

}  // namespace cupola
