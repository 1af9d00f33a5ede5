#pragma once
// Elements as text of one width, as NumPy prints them.

#include <string>
#include <vector>

#include "cupola/dtype.h"

namespace cupola {

// `count` elements of `dtype` at `data` (host memory), padded to one width unless there is one
// only.
std::vector<std::string> element_texts(DType dtype, const void* data, std::size_t count);

}  // namespace cupola
