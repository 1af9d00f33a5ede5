#pragma once
// How the results of operations lie in memory: without gaps, and as NumPy's order 'K' has them,
// which is the order of what they are computed from.

#include <span>

#include "graph/snapshot.h"

namespace cupola {

// Strides of `shape` in the order of the operands' where these agree; the operands are laid out.
Dims like_strides(const Dims& shape, std::span<const Array> operands);
// The same for strides of as many dimensions as the shape has; 0 where there is no saying.
Dims like_strides(const Dims& shape, std::span<const Dims> operands);
// Those of `shape` without gaps, with its dimensions from the outermost to the innermost.
Dims dense_strides(const Dims& shape, std::span<const std::size_t> outer_first);
// As like_strides of an array that need not be laid out: by what it is computed from. Dimensions
// that a reduction or a scan keeps stay in the order of its operand.
Dims natural_strides(const Array& array, const Snapshot& snapshot = Snapshot::now());
// How a pending array lies once it is computed: as it was laid out, else by its natural strides.
Layout layout_for(const Array& pending, const Snapshot& snapshot = Snapshot::now());

}  // namespace cupola
