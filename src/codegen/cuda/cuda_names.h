#pragma once
// Names of types in generated CUDA text.

#include <string_view>

#include "cupola/dtype.h"

namespace cupola {

// "float", "complex64", "float16" ...
std::string_view cuda_type(DType dtype);

}  // namespace cupola
