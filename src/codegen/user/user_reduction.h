#pragma once
// A user's reduction as functions that stand in generated kernels (codegen/user/user_function.h).

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codegen/user/user_kernel.h"
#include "graph/user_function.h"

namespace cupola {

// Whether the bodies mean the same as functions of values, as far as their words tell, and values
// that are combined are of a type of elements.
bool is_pointwise_reduction(const UserDefinition& definition);

// By number, as kUserMap .. say.
std::vector<UserFunction> reduction_functions(const UserDefinition& definition,
                                              std::span<const DType> types);

// The type of the values that are combined as it stands in the text; a letter of the parameters or
// any type of the user's own.
std::string user_partial_type(const UserDefinition& definition);

}  // namespace cupola
