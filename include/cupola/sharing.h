#pragma once
// Arrays whose memory several processes map. How the processes find each other is theirs to
// arrange; cupola.multiprocessing does it for Python.
//
// All processes see what one of them writes; nothing orders their uses of the memory but what they
// tell each other. The memory lives for as long as any of them holds it.

#include <array>

#include "cupola/array.h"

namespace cupola {

// Computes the array. Arrays without elements count as shared.
bool is_shared(const Array& array);
// `array` itself where it is shared, else a copy on the same device that is. Throws
// OutOfMemoryError, and LibraryError where the device has no memory that processes can share.
Array share(const Array& array);
// A new row-major array (order 'F': column-major).
Array empty_shared(DType dtype, const Dims& shape, const Device& device, char order = 'C');

// Where the elements of a shared array lie, for another process.
struct SharedPlace {
  std::array<unsigned char, 16> block{};  // names the block of memory in every process
  std::size_t block_bytes = 0;
  int descriptor = -1;      // of the block, valid while the array lives; for others to duplicate
  std::int64_t offset = 0;  // elements
  Dims strides;             // elements
};
// Waits until all work so far on the array's memory is done. ValueError for arrays that are not
// shared, or have no elements.
SharedPlace shared_place(const Array& array);
// The array there. Takes place.descriptor over where it succeeds. Throws ValueError where the
// elements do not lie within the block, or the descriptor is of something else.
Array attach_shared(const SharedPlace& place, DType dtype, const Dims& shape, const Device& device,
                    bool writable = true);

}  // namespace cupola
