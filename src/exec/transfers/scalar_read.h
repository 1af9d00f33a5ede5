#pragma once
// One element on its way to the host: the shortest of all transfers.

#include <optional>

#include "core/array_state.h"
#include "cupola/scalar.h"

namespace cupola {

// The element of a stored array of one element. Waits for it; throws what is found to be wrong with
// the work before it, too (late_checks.h).
Scalar read_scalar(const Array& array);
// The element of a stored array, for a caller who has found out that the work that wrote it is
// done. Throws nothing of what is wrong with it.
Scalar read_computed(const Array& array);
// The only element of an array where it takes no work of a device, pending numbers included. Throws
// as read_scalar() does.
std::optional<Scalar> observe_element(const Array& array);
// The way where the platform allows it: a kernel writes the element to pinned memory that this
// thread polls, and the stream is not synchronised.
Scalar read_by_polling(const Array& array);

}  // namespace cupola
