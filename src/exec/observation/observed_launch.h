#pragma once
// Kernels as observers are told of them.

#include "codegen/plan_description.h"
#include "driver/driver.h"
#include "runtime/observer.h"

namespace cupola {

// A kernel of find_kernel(). `reads` are the arrays behind its inputs, none where not known.
Work kernel_work(StreamState& stream, const Kernel& kernel, const LaunchArguments& arguments,
                 std::span<const Array> reads = {});
// A kernel of the user's, or of a library, by its name and whole arrays.
Work named_work(StreamState& stream, std::string name, std::span<const Array> reads,
                std::span<const Array> writes);

}  // namespace cupola
