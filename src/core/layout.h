#pragma once
// Where the elements of a view lie in its storage. Strides and offsets count elements.

#include "cupola/dims.h"
#include "cupola/dtype.h"

namespace cupola {

struct Layout {
  Dims strides;
  std::int64_t offset = 0;
};

// Product of the extents; 1 for rank 0. Throws ValueError when it exceeds int64.
std::int64_t element_count(const Dims& shape);
// Of an array without gaps. Throws ValueError for negative extents and for what no memory can hold.
std::size_t byte_count(DType dtype, const Dims& shape);
inline void check_size(DType dtype, const Dims& shape) { byte_count(dtype, shape); }
Dims c_strides(const Dims& shape);
Dims f_strides(const Dims& shape);
// The same strides counted in bytes.
Dims byte_strides(Dims strides, DType dtype);
// Whether elements with such byte strides lie side by side, by rows ('C') or by columns ('F').
bool is_packed(const Dims& shape, const Dims& byte_strides, DType dtype, char order);
// Extents of 1 put no condition on their stride; arrays without elements are contiguous.
bool is_c_contiguous(const Dims& shape, const Dims& strides);
bool is_f_contiguous(const Dims& shape, const Dims& strides);

// numpy.broadcast_shapes. Throws ValueError that shows all shapes.
Dims broadcast_shapes(std::span<const Dims> shapes);
// Strides of a view of `shape` broadcast to `target`: 0 along stretched dimensions.
Dims broadcast_strides(const Dims& shape, const Dims& strides, const Dims& target);

// [lowest, highest] element offset that a view touches; empty views give {offset, offset - 1}.
struct Extent {
  std::int64_t first;
  std::int64_t last;
};
Extent touched_extent(const Dims& shape, const Layout& layout);
// Two different elements of the view may be one element of storage (a broadcast view).
bool overlaps_itself(const Dims& shape, const Dims& strides);

// -1 counts from the end. Throws AxisError like NumPy's.
int normalize_axis(std::int64_t axis, int rank);
// Also refuses repeated axes with ValueError.
Dims normalize_axes(const Dims& axes, int rank);

// Strides for a reshape of a view without a copy, elements counted by rows or by columns; false
// where a copy is needed.
bool reshape_strides(const Dims& shape, const Dims& strides, const Dims& target, Dims& result,
                     bool columns = false);

}  // namespace cupola
