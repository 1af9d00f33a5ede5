#pragma once
// Indexing by arrays where the host has few elements and shares their memory: done by the calling
// thread (exec/host/host_access.h).

#include "cupola/array.h"
#include "cupola/ops/index.h"
#include "ops/indexing/index_plan.h"

namespace cupola {

// What the plan picks of its view of a stored array. No array: it is for a launch, or an error to
// be told.
Array get_on_host(const Array& view, const IndexPlan& plan);
// The same of a stored array of one dimension by a stored array of integers.
Array get_on_host(const Array& a, const Array& positions);
// Stores the value there. False, and nothing done: the same.
bool set_on_host(const Array& view, const IndexPlan& plan, const Operand& value);
// a[mask] = value, for a mask of a's shape: one value for all, or as many as are true.
bool expand_on_host(const Array& a, const Array& mask, const Operand& value);
// The values where the mask, which has their shape, is true, in row-major order. No array: as
// above.
Array compress_on_host(const Array& values, const Array& mask);

}  // namespace cupola
