#pragma once
// Computes pending arrays (evaluate() of cupola/evaluation.h), on the streams that they were asked
// for on, together with what others hold below them; and performs writes, on the current stream of
// the operands' device.

#include <span>

#include "codegen/planner.h"
#include "cupola/evaluation.h"
#include "exec/evaluation/allocation.h"
#include "graph/node.h"
#include "graph/schedule.h"

namespace cupola {

// evaluate() leaves what may be left.
void evaluate(std::span<const Array> arrays, Live live);
// What cannot be a part of a kernel of these sources. Returns what that is to store and to leave.
Region evaluate_below(std::span<const Array> sources, const KernelForm& form);
// Short operations for which an array of so many elements may be computed again; 0: it is stored.
int free_operations(const Device& device, std::int64_t elements);
// The arrays have been computed and not stored; they are stored by who computes them next.
void note_left(std::span<const Array> arrays);

// Performs writes over one iteration space at once, in one kernel. A value that reads memory which
// the kernel would change first is computed into temporary memory, so the result is as if the
// right-hand sides were complete before the first write.
void write(std::span<const Write> writes);
void write(const Array& value, const Array& target);

}  // namespace cupola
