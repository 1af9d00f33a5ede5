#pragma once
// The parameters of __global__ functions, as far as they can be read from CUDA C++ text without a
// compiler: no macros are expanded and no type names looked up.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cupola/dtype.h"

namespace cupola {

struct KernelParameter {
  std::string text;            // "const float* x"
  bool is_pointer = false;     // to elements; also T x[]
  bool is_const = false;       // the elements are only read
  bool is_void = false;        // void*: elements of any dtype
  std::optional<DType> dtype;  // of the value or the elements; none: another type
};

struct KernelSignature {
  std::vector<KernelParameter> parameters;
  // "add(const float* x, float* y, int n)".
  std::string to_string(std::string_view name) const;
};

// Of the kernel `name`, which may be an instance of a template ("fill<float, 4>", "ns::add"). None
// where it is not found, or where it is found with different parameters.
std::optional<KernelSignature> find_kernel_signature(std::string_view text, std::string_view name);

}  // namespace cupola
