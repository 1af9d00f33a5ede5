#pragma once
// Which of the embedded device headers stand in front of a kernel.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/plan.h"

namespace cupola {

// Scalar math for the types and operations of a plan.
std::vector<std::string_view> cuda_math_headers(const KernelPlan& plan);

// The headers and what they include, each once and before its first use, without comments,
// include lines and include guards of their own. Throws CompileError for a header that is not
// embedded.
std::string cuda_header_text(std::span<const std::string_view> roots);

}  // namespace cupola
