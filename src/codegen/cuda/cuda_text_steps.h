#pragma once
// The program of a plan as CUDA statements.

#include <span>
#include <string>
#include <string_view>

#include "codegen/plan.h"

namespace cupola {

// "float v3;\n{ ... }": statements that define value `i` for step `i`, in terms of the structs p
// (Arguments), u (Uniform) and x (Element) and the flat number `i` of the element.
std::string cuda_steps(const KernelPlan& plan, std::string_view indent);
// Of the steps that `value` is made of, itself included.
std::string cuda_steps_below(const KernelPlan& plan, int value, std::string_view indent);
// Of one step, which does not combine.
std::string cuda_step(const KernelPlan& plan, int step, std::string_view indent);

// A statement that assigns to `target`, of type `result`, output `output` of the ufunc for
// arguments that are named by `arguments` and have the types `types`. Throws CompileError when
// the ufunc has no loop for these types.
std::string cuda_ufunc(UfuncId id, int output, std::span<const DType> types,
                       std::span<const std::string> arguments, DType result,
                       std::string_view target);

// The same for the combination of two values of a type, by a ufunc or a function of the plan's
// calls.
std::string cuda_combination(const KernelPlan& plan, const CombineSpec& combine,
                             const std::string& first, const std::string& second,
                             std::string_view target);

}  // namespace cupola
