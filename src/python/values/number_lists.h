#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "python/bindings.h"

namespace cupola::python {

// A Python number whose dtype its type says.
bool is_plain_number(nb::handle a);

struct NumberList {
  DType dtype;
  Dims shape;
  std::vector<std::byte> elements;  // row-major
};

// The elements of a list or tuple, or of lists within one another, of few numbers of Python, and of
// arrays without dimensions whose element the host has. Nothing: it is for NumPy to say what the
// object is, or what becomes of it as `wanted`.
std::optional<NumberList> numbers_from(nb::handle list, const std::optional<DType>& wanted = {});
Array array_of(const NumberList& numbers, const Device& device);

}  // namespace cupola::python
