#pragma once
// How a launch is divided among the members of a set: everyone takes the elements of the iteration
// space that are nearest to the memory that it holds. Pure.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "codegen/launch_parts.h"
#include "codegen/plan.h"

namespace cupola {

// An operand as its elements lie in memory.
struct OperandSpan {
  const OperandArgument* operand = nullptr;
  std::int64_t item = 1;  // bytes of an element
  bool is_output = false;

  const char* data() const { return static_cast<const char*>(operand->pointer); }
};

// The operands that step through the iteration space, the ones to go by first: the outputs, unless
// some input has more than twice their bytes, as in reductions; then the larger ones. Small ones
// are left out.
std::vector<OperandSpan> operands_in_order(const KernelPlan& plan,
                                           const LaunchArguments& arguments);

// Bytes from the first element to the last one, of an operand whose strides are not negative;
// nothing for others.
std::optional<std::int64_t> bytes_along(const Dims& extents, const OperandSpan& span);

// How many elements, in row-major order, lie below `offset` bytes behind the first one. Nothing for
// an operand whose addresses do not rise in row-major order.
std::optional<std::int64_t> elements_below(const Dims& extents, const OperandSpan& span,
                                           std::int64_t offset);

// A stretch of the guiding operand's memory on one member.
struct HeldStretch {
  std::size_t member;  // its place in the set
  std::int64_t end;    // bytes from the operand's first element
};
struct MemberWork {
  std::size_t member;
  WorkPart part;
};
// All elements, in order, each with somebody. An operand that does not rise has the elements
// divided by the bytes that each holds.
std::vector<MemberWork> divide(const Dims& extents, const OperandSpan& guide,
                               std::span<const HeldStretch> stretches);

}  // namespace cupola
