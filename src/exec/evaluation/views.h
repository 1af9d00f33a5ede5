#pragma once
// Views of the library's results, which need not be computed for them.

#include "core/array_state.h"

namespace cupola {

// The array, computed if its strides are not known.
const Array& laid_out(const Array& a);
// A view of an array that is laid out; pending where the array is and may stay so.
Array view_of(const Array& a, Dims shape, Layout layout);

}  // namespace cupola
