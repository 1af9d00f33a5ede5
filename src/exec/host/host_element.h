#pragma once
// Single elements of memory that the host shares with a device: read, written and computed by the
// calling thread, without a launch, where no work that uses their storage is under way.

#include <cstdint>
#include <optional>
#include <span>

#include "core/array_state.h"
#include "core/ufunc.h"
#include "cupola/scalar.h"

namespace cupola {

// The first element of a stored array. Nothing: it has to be read as results of a device are.
// Throws what the device failed with.
std::optional<Scalar> read_host_element(const Array& array);
// Puts a value of the array's dtype so many elements behind the first one of a stored array that
// may be written to. False, and nothing done: it has to be written in the order of a stream.
bool write_host_element(const Array& array, std::int64_t offset, const Scalar& value);

// The only element, of a number that is pending as well.
std::optional<Scalar> known_element(const Array& array);
// Makes a value of the array's dtype the only element. False, and nothing done: as above.
bool set_known_element(const Array& array, const Scalar& value);
// array[()] = ufunc(array[()], other) by a loop of elements of the array's dtype. False, and
// nothing done: as above.
bool update_known_element(const Array& array, UfuncId ufunc, const UfuncLoop& loop,
                          const Scalar& other);
// What a launch of the loop, which has one result, would make of inputs of its types. Nothing: it
// has to be launched.
std::optional<Scalar> compute_host_element(const Device& device, UfuncId ufunc,
                                           const UfuncLoop& loop, std::span<const Scalar> inputs);

}  // namespace cupola
