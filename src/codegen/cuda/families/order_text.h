#pragma once
// Parts of the Body of kernels that order the elements of rows.

#include <string>
#include <string_view>

#include "codegen/plan.h"

namespace cupola {

// A function `name` of an element that gives step `value`, of type `type`.
std::string step_function(const KernelPlan& plan, std::string_view indent, std::string_view type,
                          std::string_view name, int value);
// Output0 .. and store_outputs(). `says_keys`: each says whether it is the key.
std::string ordered_outputs_text(const KernelPlan& plan, bool says_keys);

}  // namespace cupola
