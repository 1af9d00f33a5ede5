#pragma once
// The order of sorting, of single elements.

#include "graph/node.h"

namespace cupola {

// Where `a` is NaN; missing if its dtype has none.
Array is_nan(const Array& a);
// bool: where a comes before b. `nan`: is_nan(b). Not of complex numbers.
Array is_before(const Array& a, const Array& b, const Array& nan);

// Complex numbers as two arrays.
struct ComplexParts {
  Array real, imag;
};
ComplexParts parts_of(const Array& a);
Array is_before(const ComplexParts& a, const ComplexParts& b);

}  // namespace cupola
