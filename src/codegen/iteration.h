#pragma once
// The loop nest of a kernel: extents and a stride per operand, rearranged so that memory is
// visited in order and with as few dimensions as possible.

#include <vector>

#include "cupola/dims.h"

namespace cupola {

struct Iteration {
  Dims extents;
  int reduced_rank = 0;               // trailing dimensions that are combined or scanned
  std::vector<Dims> strides;          // per operand, elements
  std::vector<std::int64_t> offsets;  // per operand, elements to add to its pointer
  // Per operand, or none where no operand has any: LaunchArguments::turns.
  std::vector<Dims> turns{};

  // Which groups of dimensions may change their order or direction.
  bool permute_kept = true;
  bool permute_reduced = true;
};

// Orders dimensions by the strides of `leading` (the operand that decides), turns dimensions
// around that it walks backwards, drops extents of 1 and merges what every operand walks as one.
// At least one dimension remains, and one reduced one if there was one.
void simplify(Iteration& iteration, std::size_t leading);

}  // namespace cupola
