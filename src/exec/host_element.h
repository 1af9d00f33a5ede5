#pragma once
// Single elements of memory that the host shares with a device: read and written by the calling
// thread, without a launch, where no work that uses their storage is under way.

#include <cstdint>
#include <optional>

#include "core/array_state.h"
#include "cupola/scalar.h"

namespace cupola {

// The first element of a stored array. Nothing: it has to be read as results of a device are.
// Throws what the device failed with.
std::optional<Scalar> read_host_element(const Array& array);
// Puts a value of the array's dtype so many elements behind the first one of a stored array that
// may be written to. False, and nothing done: it has to be written in the order of a stream.
bool write_host_element(const Array& array, std::int64_t offset, const Scalar& value);

}  // namespace cupola
