#pragma once
// Between host memory and devices.

#include <complex>
#include <span>
#include <vector>

#include "cupola/array.h"
#include "cupola/scalar.h"

namespace cupola {

// A new row-major array (order 'F': column-major) with the value that `data` has now; strides in
// bytes, any sign. The source may change as soon as this returns.
Array from_host(const void* data, DType dtype, const Dims& shape, const Dims& byte_strides,
                const Device& device, char order = 'C');
// Writes all elements into host memory of the same dtype; complete when it returns.
void to_host(const Array& array, void* data, const Dims& byte_strides);
// The element of an array of one element. ValueError for other sizes.
Scalar item(const Array& array);
// `array` itself when it is there already, else a copy on `device` (any platform). dtype kept.
Array to_device(const Array& array, const Device& device);
// An array over memory of others on `device` (host memory for CPU devices); `owner` is kept
// until the array and its views are gone. strides in elements.
Array from_foreign(void* data, DType dtype, const Dims& shape, const Dims& strides,
                   const Device& device, std::shared_ptr<void> owner, bool writable);

template <typename T>
Array from_vector(const std::vector<T>& values, const Device& device) {
  return from_host(values.data(), dtype_of<T>, Dims{static_cast<std::int64_t>(values.size())},
                   Dims{static_cast<std::int64_t>(sizeof(T))}, device);
}

}  // namespace cupola
