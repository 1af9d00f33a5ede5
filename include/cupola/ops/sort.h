#pragma once
// Sorting with NumPy's order: NaN last, -0.0 equal to 0.0, complex numbers by their real, then by
// their imaginary parts. Equal elements keep their order; where memory for a second array is
// missing, sort() may exchange zeros of both signs among themselves, and NaNs.

#include <optional>
#include <span>

#include "cupola/ops/elementwise.h"

namespace cupola {

// A sorted copy along `axis`; axis absent: of the flattened array.
Array sort(const Array& a, std::optional<std::int64_t> axis = -1);
// ValueError for a read-only array.
void sort_in_place(const Array& a, std::int64_t axis = -1);
// The positions, int64, at which the elements of sort() lie along the axis.
Array argsort(const Array& a, std::optional<std::int64_t> axis = -1);
// argsort() by several keys of one shape: the last one decides first.
Array lexsort(std::span<const Array> keys, std::int64_t axis = -1);

// Where values would be inserted: before the elements that equal them, or behind these.
enum class SearchSide : std::uint8_t { left, right };
// int64, of v's shape; `a` has one dimension and is sorted.
Array searchsorted(const Array& a, const Array& v, SearchSide side = SearchSide::left);

}  // namespace cupola
