#pragma once
// Arrays and what describes them as text.

#include <iosfwd>
#include <string>

#include "cupola/array.h"

namespace cupola {

// The elements as numpy.array2string shows them: at most 8 digits behind the point, the first and
// last three of each axis where there are more than 1000. Waits for the elements that are shown;
// the others are not copied.
std::string to_string(const Array& array);

std::ostream& operator<<(std::ostream& stream, const Array& array);
std::ostream& operator<<(std::ostream& stream, const Dims& dims);
std::ostream& operator<<(std::ostream& stream, DType dtype);
std::ostream& operator<<(std::ostream& stream, const Device& device);

}  // namespace cupola
