#include "exec/host/reduction_order.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "core/layout.h"

namespace cupola {

bool lies_in_order(const Array& array) {
  std::int64_t outer = std::numeric_limits<std::int64_t>::max();
  for (std::size_t d = 0; d < array.shape().size(); ++d) {
    if (array.shape()[d] == 1) continue;
    const std::int64_t stride = std::abs(strides_of(array)[d]);
    if (stride > outer) return false;
    outer = stride;
  }
  return true;
}

Dims reduced_last(const Dims& of_dimensions, const Dims& axes) {
  Dims result;
  for (std::size_t d = 0; d < of_dimensions.size(); ++d) {
    if (std::ranges::find(axes, static_cast<std::int64_t>(d)) == axes.end()) {
      result.push_back(of_dimensions[d]);
    }
  }
  for (const std::int64_t axis : axes)
    result.push_back(of_dimensions[static_cast<std::size_t>(axis)]);
  return result;
}

}  // namespace cupola
