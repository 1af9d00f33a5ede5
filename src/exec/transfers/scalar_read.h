#pragma once
// One element on its way to the host: the shortest of all transfers.

#include "core/array_state.h"
#include "cupola/scalar.h"

namespace cupola {

// The element of a stored array of one element. Waits for it.
Scalar read_scalar(const Array& array);
// The way where the platform allows it: a kernel writes the element to pinned memory that this
// thread polls, and the stream is not synchronised.
Scalar read_by_polling(const Array& array);

}  // namespace cupola
