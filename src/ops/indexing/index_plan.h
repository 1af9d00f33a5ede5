#pragma once
// NumPy's index grammar, turned into a view plus positions.

#include <optional>
#include <vector>

#include "core/layout.h"
#include "cupola/ops/index.h"

namespace cupola {

// An integer array that picks positions along one dimension of the view.
struct AdvancedTerm {
  Array positions;        // any integer dtype, not wrapped; of the broadcast rank or lower
  std::size_t dimension;  // of IndexPlan::shape
  std::size_t axis;       // of the indexed array, for messages
  bool in_bounds;         // known to be within the extent and not negative
};

// a[index]: first the view (slices, new axes, integers), then the advanced terms.
struct IndexPlan {
  Dims shape;  // of the view; dimensions that advanced terms pick from are whole
  Layout layout;
  std::vector<AdvancedTerm> advanced;
  bool is_basic = true;      // the view is the result
  Dims advanced_shape;       // broadcast shape of the advanced terms
  std::size_t position = 0;  // where its dimensions stand in the result
  Dims result_shape;
};

// `a` must be stored. Computes boolean indices (they decide the shape) and reads the rest lazily.
// Throws IndexError and, for a slice step of 0, ValueError.
IndexPlan plan_index(const Array& a, const Index& index);

// Positions as int64 in 0 .. extent-1, negative ones counted from the end. IndexMode::raise throws
// IndexError for the first that is out of bounds, where that takes no waiting for a device; else it
// is thrown where values are observed, and positions wrap. In a capture, which can read nothing,
// they wrap, too.
Array bounded_positions(const Array& positions, std::int64_t extent, std::size_t axis,
                        IndexMode mode);

// Node of element offsets (int64, from the first element of the view) of every element of the
// result. Checks bounds.
Array offsets_node(const IndexPlan& plan, const Device& device);
// The elements at `offsets` (see make_gather), row-major or, with order 'K', as the offsets' arrays
// are; may wait to be computed.
Array gather(const Array& source, Array offsets, char order = 'C');
// The elements at offsets_node() of the view `source`, row-major; may wait as well.
Array gather_elements(const Array& source, const IndexPlan& plan);
// Offsets of row-major element numbers (in bounds) of an array with this layout.
Array flat_offsets(const Dims& shape, const Dims& strides, const Array& numbers);

// The true elements of a mask, counted: ends[t] is the number up to the end of tile t (kMaskTile
// elements in row-major order), `count` that of all. Reads the device.
struct MaskCount {
  Array ends;  // no array where the mask has no elements
  std::int64_t count;
};
MaskCount count_mask(const Array& mask);
// The elements of `values` (stored, or a node; of the mask's shape) where the mask is true, in
// row-major order, in a new array. A pending mask is stored only where that spares memory traffic.
Array compress(const Array& values, const Array& mask);

// Throws IndexError for arrays that are neither integer nor bool.
void check_index_dtype(const Array& array);

}  // namespace cupola
