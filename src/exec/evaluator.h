#pragma once
// Computes pending arrays (evaluate() of cupola/evaluation.h), on the streams that they were asked
// for on, together with what others hold below them; and performs writes, on the current stream of
// the operands' device.

#include <span>

#include "codegen/planner.h"
#include "cupola/evaluation.h"
#include "exec/allocation.h"
#include "graph/node.h"

namespace cupola {

// Performs writes over one iteration space at once, in one kernel. A value that reads memory which
// the kernel would change first is computed into temporary memory, so the result is as if the
// right-hand sides were complete before the first write.
void write(std::span<const Write> writes);
void write(const Array& value, const Array& target);

}  // namespace cupola
