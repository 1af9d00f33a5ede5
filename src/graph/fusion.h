#pragma once
// Decides which nodes become one kernel: everything elementwise below a root, up to limits.

#include <span>
#include <vector>

#include "graph/node.h"

namespace cupola {

// The pending arrays below `roots` that must be stored before the roots can be one kernel over
// the iteration space `space`: what is not elementwise, row-major numbers of another space,
// sources of gathers, and whatever exceeds the limits of a kernel. `row_major` says whether the
// kernel visits `space` with row-major numbering. Each comes after those it depends on.
std::vector<Array> find_barriers(std::span<const Array> roots, const Dims& space, bool row_major);

// The stored arrays that the elementwise nodes below a root read.
struct Leaves {
  std::vector<Array> walked;    // element by element, in step with the root
  std::vector<Array> gathered;  // at offsets of their own
};
Leaves find_leaves(const Array& root);

}  // namespace cupola
