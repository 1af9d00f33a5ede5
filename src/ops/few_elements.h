#pragma once
// Searches and counts of few elements where the host shares their memory: done by the calling
// thread (exec/host/host_access.h). No array: it is for a launch.

#include <cstdint>

#include "cupola/array.h"
#include "cupola/ops/sort.h"

namespace cupola {

// Few elements that wait to be computed are computed, for the host to look at. Whether the array is
// stored.
bool is_there(const Array& array);

// searchsorted() of few values of the dtype of the sorted elements, which may be many.
Array search_on_host(const Array& sorted, const Array& values, SearchSide side);
// How often each integer from 0 to the largest one occurs, or to length - 1; none is negative.
Array count_on_host(const Array& numbers, std::int64_t length);

}  // namespace cupola
