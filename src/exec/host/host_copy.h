#pragma once
// Few elements, moved by the calling thread: see exec/host/host_access.h.

#include <cstddef>
#include <type_traits>

#include "codegen/planner.h"
#include "cupola/dims.h"

namespace cupola {

// Between layouts of one shape in memory of the host. Strides count bytes; those of the source may
// be 0.
void copy_strided(char* target, const Dims& target_strides, const char* source,
                  const Dims& source_strides, const Dims& shape, std::size_t item);

// Into a stored array, from elements of its shape and dtype; `strides` of these, in elements.
void copy_elements(const Array& target, const void* source, const Dims& strides);

// Out of a pending or stored array of few elements, at the call. False, and nothing written: there
// is something to wait for, or it is for a launch.
bool read_at_once(const Array& array, void* target, const Dims& byte_strides);

// Calls function(size) with the size of an element, 1, 2, 4, 8 or 16, as a constant.
template <typename Function>
decltype(auto) dispatch_item_size(std::size_t bytes, const Function& function) {
  switch (bytes) {
    case 1:
      return function(std::integral_constant<std::size_t, 1>());
    case 2:
      return function(std::integral_constant<std::size_t, 2>());
    case 4:
      return function(std::integral_constant<std::size_t, 4>());
    case 8:
      return function(std::integral_constant<std::size_t, 8>());
    default:
      return function(std::integral_constant<std::size_t, 16>());
  }
}

// Writes of few elements, which are there, or are one number, or are computed by the host
// (exec/host/host_map.h). They wait for nothing. False, and nothing written: there is something to
// wait for, or it is for a launch.
bool fill_at_once(const Array& target, const Scalar& value);
bool write_at_once(const Array& value, const Array& target);
// The same, after what reads the elements that are overwritten.
bool write_on_host(const Write& write);

}  // namespace cupola
