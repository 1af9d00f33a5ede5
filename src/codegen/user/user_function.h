#pragma once
// Users' elementwise kernels as functions that stand in generated kernels. A function has a
// namespace of its own, so that any of them may stand beside any other; it comes last in the text,
// so that macros of the user change nothing but the function.

#include <span>
#include <string>
#include <vector>

#include "codegen/plan.h"
#include "codegen/user/user_kernel.h"
#include "graph/user_function.h"

namespace cupola {

// Whether the body means the same as a function of one element, as far as its words tell: nothing
// is raw, before or after the loop, of the thread or block, or leaves or repeats the loop; compiler
// options are those of generated kernels. A compiler has to say that it compiles as a function.
bool may_fuse(const UserDefinition& definition);

// As user_type_text(), from within any namespace.
std::string global_type_text(DType dtype);

// For an elementwise definition that may be fused, and the type of each parameter.
UserFunction make_user_function(const UserDefinition& definition, std::span<const DType> types);
// The functions of a definition that may be fused: one, or those of a reduction, kUserMap ..
std::vector<UserFunction> make_user_functions(const UserDefinition& definition,
                                              std::span<const DType> types);

// Of a reduction: of the inputs' elements, of two such values, and of the last value and the inputs
// that finishing_inputs() lists; it gives the outputs.
inline constexpr std::size_t kUserMap = 0, kUserCombine = 1, kUserFinish = 2;
// The inputs that post_map names. They must be numbers.
std::vector<std::size_t> finishing_inputs(const UserDefinition& definition);
// Whether the last expression assigns to the only output, whatever was there.
bool assigns_output(const UserDefinition& definition);

// Texts that hold the functions alone, which compile where they may be part of a kernel, with
// kFunctionOptions; `prelude` stands in front.
UserText user_function_text(std::span<const UserFunction* const> functions);
inline constexpr const char* kFunctionOptions[] = {"--std=c++20", "--fmad=false", "--minimal",
                                                   "--diag-suppress=177"};

// Functions of a plan: what stands before the generated part of its text, and what stands behind.
std::string user_declarations(const KernelPlan& plan);
std::string user_definitions(const KernelPlan& plan);
// The headers that the functions of a plan need.
std::vector<std::string_view> user_headers(const KernelPlan& plan);

// A preamble that begins so is part of the library's own: it stands outside of the function's
// namespace, and equal ones stand there once.
inline constexpr std::string_view kSharedPreamble = "namespace cupola_device::vectorized_";

}  // namespace cupola
