#pragma once
// What the bindings of memory share.

#include "core/storage.h"
#include "memory/allocator.h"
#include "python/bindings.h"

namespace cupola::python {

// Memory that arrays and pointers share; an instance of `MemoryBlock`. Storage is null for no
// bytes.
struct [[gnu::visibility("hidden")]] MemoryBlock {
  std::shared_ptr<Storage> storage;
  Device device;
};

// An instance of `MemoryAllocator`.
struct [[gnu::visibility("hidden")]] MemoryAllocator {
  AllocatorPointer allocator;
};

// A reference to a Python object that any thread may drop.
using SharedReference = std::shared_ptr<void>;
SharedReference share_reference(nb::handle object);

// A resource whose blocks are what a Python function returns: pointer = function(bytes), whose
// `ptr` is the address. The object is kept until the block's stream is done with it.
// Needs no interpreter lock.
ResourcePointer make_callable_resource(SharedReference function, const Device& device);

// A view of `block` with an array's shape, dtype and strides (bytes; None: contiguous in `order`).
Array array_on_memory(const MemoryBlock& block, std::int64_t offset, nb::handle shape,
                      nb::handle dtype, nb::handle strides, char order);
// Of elements, from those in bytes. ValueError where there is not one for each dimension, or one
// lies between elements.
Dims strides_from(nb::handle bytes, const Dims& shape, DType dtype);
// None: null.
AllocatorPointer allocator_from(nb::handle object);
// What the attribute `_block` of a MemoryPointer is.
MemoryBlock block_of(nb::handle memory);

// The device asked for, else the current one; it exists.
Device checked_device(nb::handle device);
// The array as other libraries may have it: they know one device, and no sets. One of a set that
// lies on one member becomes an array there, over the same memory; one on several is copied to the
// first member, or BufferError. All uses of what is not the array itself are done. CPU devices are
// all the host. Needs no interpreter lock.
Array on_one_device(const Array& array, bool may_copy);
// Throws ValueError for a negative number of bytes.
std::size_t size_from(nb::handle bytes);

void bind_memory(nb::module_& m, ArrayClass& cls);
void bind_allocators(nb::module_& m);
void bind_pinned_memory(nb::module_& m);
void bind_memory_history(nb::module_& m);
void bind_device_sets(nb::module_& m);

}  // namespace cupola::python
