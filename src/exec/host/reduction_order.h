#pragma once
// The order in which the calling thread reduces few elements, which is that of launches.

#include "core/array_state.h"
#include "cupola/dims.h"

namespace cupola {

// Whether the last dimensions' elements are the nearest in memory. Launches take elements in the
// order in which they lie there.
bool lies_in_order(const Array& array);

// Extents or strides of all dimensions: those that are kept, then those that `axes` names.
Dims reduced_last(const Dims& of_dimensions, const Dims& axes);

}  // namespace cupola
