#pragma once
// A short cut for the commonest kernels: one operation over row-major arrays of one shape and
// scalars, and a whole row-major array reduced to one element. Their plans depend on so little that
// they are looked up instead of made again.

#include "codegen/planner.h"

namespace cupola {

// Launches the write if it is of that kind, and exactly as launch(plan_map(...)) would; false, and
// nothing done, otherwise. The target must be writable and on the value's device.
bool launch_if_known_kind(const Write& write);

// Launches a pending reduction or scan, free of barriers, into `target`: by its plan, or by one
// that is known already.
void launch_reduction(const Array& reduction, const Array& target);

}  // namespace cupola
