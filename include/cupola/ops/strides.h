#pragma once
// Views with strides that the caller chooses, within the memory of the array.

#include "cupola/array.h"

namespace cupola {

// A view from the first element of `a` on, with these extents and strides, which count elements.
// Read-only where elements of it share memory, and where `a` is. ValueError where it leaves the
// memory that `a` lies in.
Array strided_view(const Array& a, const Dims& shape, const Dims& strides);

}  // namespace cupola
