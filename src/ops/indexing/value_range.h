#pragma once
// What the values of integers can be, by how they are computed.

#include "core/storage.h"
#include "cupola/array.h"

namespace cupola {

// Of stored integers what is known of them (known_range()), of pending ones what follows from their
// operations: the values of `x & 255` lie within 0 .. 255, those of `argmax(x)` within x. At worst
// all values of the dtype, and of uint64, which has larger ones, nothing.
KnownRange value_range(const Array& array);

}  // namespace cupola
