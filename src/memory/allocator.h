#pragma once
// Which resource serves new arrays: that of the thread's scope, else that of the process, else the
// device's own pool.

#include <memory>

#include "memory/pool/pool.h"

namespace cupola {

// Resources for any device, each made when it is first asked for.
class Allocator {
 public:
  virtual ~Allocator() = default;
  virtual ResourcePointer resource(const Device& device) = 0;
};
using AllocatorPointer = std::shared_ptr<Allocator>;

// Null: the default. Blocks that were handed out stay with where they came from.
void set_allocator(AllocatorPointer allocator);
AllocatorPointer get_allocator();

// The thread's own choice, until it is popped. A null allocator stands for the default.
void push_allocator(AllocatorPointer allocator);
void pop_allocator();
class AllocatorScope {
 public:
  explicit AllocatorScope(AllocatorPointer allocator) { push_allocator(std::move(allocator)); }
  ~AllocatorScope() { pop_allocator(); }
  AllocatorScope(const AllocatorScope&) = delete;
  AllocatorScope& operator=(const AllocatorScope&) = delete;
};

ResourcePointer current_resource(const Device& device);
// Where nobody has chosen: the device's pool, or what CUPOLA_MEMORY_DEBUG puts in its place.
ResourcePointer default_resource(const Device& device);

// The device's pool where it is made and nobody has chosen anything else; else null.
Pool* serving_pool(const Device& device);

// The pool of a device that serves where nobody has chosen; made on first use, never destroyed.
// CUPOLA_GPU_MEMORY_LIMIT, in bytes or as "50%" of the device's memory, limits it.
Pool& device_pool(const Device& device);
// The pool of pinned host memory that a device's context pins; every device of the platform may
// use it. In the host's order: allocate and deallocate with a null stream.
Pool& pinned_pool(const Device& device);

// "1000" or "50%" of `total`. Throws ValueError for all else; 0 stands for no limit.
std::size_t parse_memory_limit(const std::string& text, std::size_t total);

}  // namespace cupola
