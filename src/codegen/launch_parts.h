#pragma once
// Launches in parts: several devices share one launch, and its results have the bits that one
// device gives them. A launch is a few stages, one after the other; a stage is made of blocks that
// are numbered, the same ones whoever runs them; a part of it is some neighbours among these.

#include <array>
#include <cstddef>
#include <cstdint>

#include "codegen/plan.h"

namespace cupola {

// Row-major elements of the iteration space: [first, end). What a part computes lies near these
// elements, and not always at them: it has the blocks of cut().
struct WorkPart {
  std::int64_t first;
  std::int64_t end;
};

// What there is to run, and the memory that stages hand to each other.
struct LaunchStages {
  int count = 0;  // 0: nothing to do
  // Whether stage i has several blocks, and parts of it may run at the same time, wherever. A stage
  // that does not divide runs once, as a whole.
  std::array<bool, 3> divides{};
  std::size_t scratch_bytes = 0;
  std::size_t zeroed_bytes = 0;  // at the front of the scratch: zeros before the first stage
  std::size_t set_bytes = 0;     // after these: all bits set
  // Parts that begin and end at multiples of so many elements do not wait for each other between
  // stages; 0: all do.
  std::int64_t apart = 0;
};

// Of a reduction in several stages the last one alone stores results.
inline bool stores_results(const KernelPlan& plan, const LaunchStages& stages, int stage) {
  return !is_reduction(plan.kind()) || stage + 1 == stages.count;
}

struct BlockRange {
  std::int64_t first;
  std::int64_t end;
};
// The part's among `blocks` that go through `elements` > 0 in order: block number b * blocks /
// elements begins where element b is the cut. Parts that adjoin have blocks that adjoin, and those
// that make up all elements make up all blocks.
BlockRange cut(WorkPart part, std::int64_t blocks, std::int64_t elements);

}  // namespace cupola
