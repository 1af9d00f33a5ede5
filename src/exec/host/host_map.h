#pragma once
// Elementwise operations on few elements, and their reductions to one, computed by the calling
// thread with the loops that launches run, without a plan or a launch: see exec/host/host_access.h.

#include "core/array_state.h"
#include "exec/host/host_access.h"

namespace cupola {

// Stores a pending array, and what others have below it. False: a launch is to do it.
bool compute_on_host(const Array& pending);
// Computes a value that nobody else has into memory that is there, as if it were complete before
// the first element is written. False, and nothing written: as above, and where it has more
// elements than `most`.
bool compute_on_host(const Array& value, const Array& target, std::int64_t most = kMaxOnHost);

}  // namespace cupola
