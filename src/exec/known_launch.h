#pragma once
// A short cut for the commonest kernel: one operation over row-major arrays of one shape and
// scalars. Its plan depends on so little that it is looked up instead of made again.

#include "codegen/planner.h"

namespace cupola {

// Launches the write if it is of that kind, and exactly as launch(plan_map(...)) would; false, and
// nothing done, otherwise. The target must be writable and on the value's device.
bool launch_if_known_kind(const Write& write);

}  // namespace cupola
