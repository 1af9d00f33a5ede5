#pragma once
// What is known of integers without a look at the device.

#include <cstddef>
#include <cstdint>

#include "core/array_state.h"
#include "core/storage.h"

namespace cupola {

// Calls function(T{}) with the type of an integer dtype.
template <typename Function>
decltype(auto) dispatch_integer(DType dtype, const Function& function) {
  switch (dtype) {
    case DType::int8:
      return function(std::int8_t{});
    case DType::int16:
      return function(std::int16_t{});
    case DType::int32:
      return function(std::int32_t{});
    case DType::uint8:
      return function(std::uint8_t{});
    case DType::uint16:
      return function(std::uint16_t{});
    case DType::uint32:
      return function(std::uint32_t{});
    case DType::uint64:
      return function(std::uint64_t{});
    default:
      return function(std::int64_t{});
  }
}

// Nothing of an array whose elements nobody has told of, or others may write to.
KnownRange known_range(const Array& array);
// The elements of the array's storage, which was just computed or filled, are within least ..
// largest, as its dtype has them.
void note_range(const Array& array, std::int64_t least, std::int64_t largest);
// The same of an array of few integers that was just copied from `elements`, which lie side by
// side.
void note_range_of(const Array& array, const void* elements);

}  // namespace cupola
