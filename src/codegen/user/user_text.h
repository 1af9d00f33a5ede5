#pragma once
// What the texts of elementwise and reduction kernels share.

#include <span>
#include <string>
#include <string_view>

#include "codegen/user/user_kernel.h"

namespace cupola {

// The letters of the parameter list as types, then the user's preamble.
std::string user_type_definitions(const UserDefinition& definition, const UserVariant& variant);
// The raw parameters and scalars, each as a constant or a CArray of its own name, and an address
// `_p_NAME` and strides `_s_NAME` of each other array.
std::string user_declarations(const UserDefinition& definition, const UserVariant& variant);
// References to the current elements of arrays; `offset` is put in front of the strides' name and
// gives the element's number: "_ind.offset" or a function of the strides.
std::string user_elements(const UserDefinition& definition, const UserVariant& variant,
                          bool of_inputs, const std::string& offset);
// In front of a text for the host. `declarations`: the part of it in which names of the host's C
// library may be declared.
std::string host_prelude(std::string_view text, std::string_view declarations,
                         std::span<const std::string> options, bool has_complex);
std::string reduction_text(const UserDefinition& definition, const UserVariant& variant,
                           UserTarget target);

}  // namespace cupola
