#pragma once
// Work on few elements where the host shares their memory: done by the calling thread, which waits
// for nothing (exec/host/host_access.h). No array: it is for a launch.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cupola/array.h"
#include "cupola/ops/creation.h"
#include "cupola/ops/sort.h"

namespace cupola {

// full() of one dtype, and astype() of what may be cast so.
Array full_at_call(const Dims& shape, const Scalar& value, DeviceOption device, char order);
Array astype_at_call(const Array& a, DType dtype, char order, bool copy_always);

// concatenate() of stored row-major arrays of one dtype, of one dimension at least.
Array concatenate_at_call(std::span<const Array> arrays, std::int64_t axis);

// Few elements that wait to be computed are computed, for the host to look at. Whether the array is
// stored.
bool is_there(const Array& array);

// The element of an array without dimensions, where the host has it.
std::optional<Scalar> known_number(const Array& array);

// Indices of the elements that are not zero, as those of an array of that shape, which has as many:
// one array for each dimension; none: it is for a launch.
std::vector<Array> nonzero_on_host(const Array& a, const Dims& shape);

// searchsorted() of few values of the dtype of the sorted elements, which may be many.
Array search_on_host(const Array& sorted, const Array& values, SearchSide side);
// How often each integer from 0 to the largest one occurs, or to length - 1; none is negative.
Array count_on_host(const Array& numbers, std::int64_t length);

}  // namespace cupola
