#pragma once
// Which memory the operands of a launch take up.

#include <cstddef>
#include <span>
#include <vector>

#include "codegen/plan.h"

namespace cupola {

struct TouchedMemory {
  const char* first = nullptr;
  const char* end = nullptr;  // one behind the last byte
  bool writes = false;
  // False: only the first element is known before the launch runs (gather, scatter, segments).
  bool is_whole = true;
};

// Of elements at sums of index * stride, each index below its extent; from turns on, if there are
// any, below 0. As LaunchArguments has them.
TouchedMemory touched_strided(const void* pointer, std::size_t item,
                              std::span<const std::int64_t> extents,
                              std::span<const std::int64_t> strides,
                              std::span<const std::int64_t> turns = {});

// Of each operand; nothing where the iteration space is empty.
std::vector<TouchedMemory> touched_by(const KernelPlan& plan, const LaunchArguments& arguments);

}  // namespace cupola
