#pragma once
// Sorting a row that lies on several devices: each sorts the elements that end with it.

#include "ops/sorting/sort_digits.h"

namespace cupola {

// As sort_by_digits(), for one row on several devices that is long enough to gain by it. False:
// nothing was done.
bool sort_near_memory(const NumberedRows& rows, const NumberedRows& result);

}  // namespace cupola
