#pragma once
// Plans and launches in words and numbers, for people who look at what runs. Pure.

#include <cstdint>
#include <string>
#include <vector>

#include "codegen/planner.h"

namespace cupola {

// "add", "astype(float32)", "where", "take", the name of a user's kernel; loads, scalars and
// numberings are no operations, and have empty names.
std::string operation_name(const KernelPlan& plan, const Step& step);
// Of a pending operation: as above, or "sum", "cumsum" and so on.
std::string operation_name(const Operation& operation);
// What combines the elements: "sum", "argmax", "cumsum", "logaddexp.reduce"; empty for maps.
std::string combination_name(const KernelPlan& plan);
// All that the kernel does, in its order; "copy" and "fill" for what only moves elements.
std::vector<std::string> operation_names(const KernelPlan& plan);
// The same as one text: "multiply, add, sum". Of more than `most` those in the middle are counted.
std::string operations_text(const KernelPlan& plan, std::size_t most = 6);

// Bytes of elements that an operand of a launch reaches, each counted once; of gathers and scatters
// one element for each of the iteration space.
std::int64_t operand_bytes(const OperandSpec& spec, const OperandArgument& argument,
                           const Dims& extents);

struct Traffic {
  std::int64_t read = 0;  // bytes
  std::int64_t written = 0;
};
// `arrays` are those that the inputs are; none where they are not known.
Traffic traffic_of(const KernelPlan& plan, const LaunchArguments& arguments,
                   std::span<const Array> reads = {});
// Of one input, by its number.
std::int64_t input_bytes(const KernelPlan& plan, const LaunchArguments& arguments,
                         std::span<const Array> reads, std::size_t input);

}  // namespace cupola
