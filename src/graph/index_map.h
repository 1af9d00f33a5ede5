#pragma once
// How the indices of a view depend on those of the array that it is a view of.

#include <optional>

#include "core/layout.h"

namespace cupola {

// Index j of the array is first[j] plus the sum of step[d] * i[d] over the view's dimensions d that
// move along j.
class IndexMap {
 public:
  // Of a view whose layout is known where the array's strides would be `strides`, which leave no
  // gaps. Nothing where an index of the array depends on the view's in another way, as in a view
  // that merges dimensions, or where the view repeats elements.
  static std::optional<IndexMap> find(const Dims& array_shape, const Dims& strides,
                                      const Dims& view_shape, const Layout& view);

  // The layout of the same view of an array with that layout.
  Layout apply(const Layout& array) const;
  // The shape of the same view of an array that is broadcast to the one here: 1 along what is
  // stretched.
  Dims shape_of(const Dims& array_shape) const;

 private:
  static constexpr std::int64_t kNone = -1;

  Dims view_shape_;
  Dims first_;
  Dims source_;  // of each of the view's dimensions: one of the array's, or kNone
  Dims step_;
};

}  // namespace cupola
