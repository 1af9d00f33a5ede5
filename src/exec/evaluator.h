#pragma once
// Computes pending arrays and performs writes, on the current stream of the operands' device.

#include <span>

#include "codegen/planner.h"
#include "graph/node.h"

namespace cupola {

// Uninitialised. order: 'C' or 'F'. Throws OutOfMemoryError, ValueError for negative extents.
Array allocate_array(DType dtype, const Dims& shape, const Device& device, char order = 'C');
// The same from memory at hand, without a lock or a wait; no array where there is none.
Array find_array(DType dtype, const Dims& shape, const Device& device, char order = 'C');
// Uninitialised, strides as `order` 'K' gives them: those of the operands where they agree.
Array allocate_like(DType dtype, const Dims& shape, const Device& device,
                    std::span<const Array> operands);

// Stores every pending array of the list; stored ones are left alone. Arrays of one shape that
// can share a kernel do. On an error the arrays stay pending; when there is no memory, once more
// after the host language's collector has run.
void evaluate(std::span<const Array> arrays);
inline const Array& evaluate(const Array& array) {
  evaluate(std::span<const Array>(&array, 1));
  return array;
}

// Performs writes over one iteration space at once, in one kernel. A value that reads memory which
// the kernel would change first is computed into temporary memory, so the result is as if the
// right-hand sides were complete before the first write.
void write(std::span<const Write> writes);
void write(const Array& value, const Array& target);

}  // namespace cupola
