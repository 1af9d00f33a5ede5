#pragma once
// Shapes and arrangement. What NumPy returns as a view is a view here.

#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

#include "cupola/ops/elementwise.h"

namespace cupola {

// One extent may be -1. order: 'C', 'F' or 'A'. copy: true always copies, false throws
// ValueError where a copy would be needed.
Array reshape(const Array& a, const Dims& shape, char order = 'C', std::optional<bool> copy = {});
Array ravel(const Array& a, char order = 'C');
// Reversed axes without an argument.
Array transpose(const Array& a, const std::optional<Dims>& axes = {});
Array moveaxis(const Array& a, const Dims& source, const Dims& destination);
Array swapaxes(const Array& a, std::int64_t axis1, std::int64_t axis2);
Array squeeze(const Array& a, const std::optional<Dims>& axes = {});
Array expand_dims(const Array& a, const Dims& axes);
// Read-only view.
Array broadcast_to(const Array& a, const Dims& shape);
std::vector<Array> broadcast_arrays(std::span<const Array> arrays);
// Views of the parts of a complex array; of a real one, itself and (for imag) zeros.
Array real(const Array& a);
Array imag(const Array& a);
// Reinterprets the bytes as another dtype, as ndarray.view(dtype).
Array view_as(const Array& a, DType dtype);
Array diagonal(const Array& a, std::int64_t offset = 0, std::int64_t axis1 = 0,
               std::int64_t axis2 = 1);

// axis absent: of the flattened arrays. dtype and casting as numpy.concatenate.
Array concatenate(std::span<const Array> arrays, std::optional<std::int64_t> axis = 0,
                  const Array& out = {}, std::optional<DType> dtype = {},
                  Casting casting = Casting::same_kind);
Array stack(std::span<const Array> arrays, std::int64_t axis = 0, const Array& out = {},
            std::optional<DType> dtype = {}, Casting casting = Casting::same_kind);
// concatenate({a, b}), stack({a, b}, 1).
inline Array concatenate(std::initializer_list<Array> arrays,
                         std::optional<std::int64_t> axis = 0) {
  return concatenate(std::span(arrays.begin(), arrays.size()), axis);
}
inline Array stack(std::initializer_list<Array> arrays, std::int64_t axis = 0) {
  return stack(std::span(arrays.begin(), arrays.size()), axis);
}
// Views; `points` are positions along the axis.
std::vector<Array> split_at(const Array& a, std::span<const std::int64_t> points,
                            std::int64_t axis = 0);
Array flip(const Array& a, const std::optional<Dims>& axes = {});
// shifts and axes of one length; axes absent: of the flattened array.
Array roll(const Array& a, const Dims& shifts, const std::optional<Dims>& axes = {});
Array tile(const Array& a, const Dims& repetitions);
// One count for all, or one per element of the axis. axis absent: of the flattened array.
Array repeat(const Array& a, std::span<const std::int64_t> counts,
             std::optional<std::int64_t> axis = {});

}  // namespace cupola
