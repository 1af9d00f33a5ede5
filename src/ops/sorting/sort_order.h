#pragma once
// The order of sorting, of single elements.

#include "graph/node.h"

namespace cupola {

// Where `a` is NaN; missing if its dtype has none.
Array is_nan(const Array& a);
// bool: where a comes before b. `nan`: is_nan(b).
Array is_before(const Array& a, const Array& b, const Array& nan);

}  // namespace cupola
