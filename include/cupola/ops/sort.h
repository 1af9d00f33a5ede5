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

// Elements of rows, which lie along the last dimension, by their rank: those that sort() has at the
// places `ranks`, int64. The first dimension of ranks counts them; without others they are those of
// all rows, else the others are the rows' dimensions. The result has the dimension of ranks first,
// then those of the rows. Throws IndexError for ranks that are no places.
Array select_ranks(const Array& rows, const Array& ranks);
// A copy in which the elements at the places `kth` along `axis` are those of sort(): behind what
// comes before them in its order, then what equals them, then the others, each of these groups in
// the order of `a`, but for complex numbers and more than kMaxParted places.
// Throws IndexError for places out of bounds. axis absent: of the flattened array.
inline constexpr std::size_t kMaxParted = 8;
Array partition(const Array& a, std::span<const std::int64_t> kth,
                std::optional<std::int64_t> axis = -1);
// ValueError for a read-only array. Where memory for a second array is missing, a is sorted.
void partition_in_place(const Array& a, std::span<const std::int64_t> kth, std::int64_t axis = -1);
// The positions, int64, at which the elements of partition() lie along the axis.
Array argpartition(const Array& a, std::span<const std::int64_t> kth,
                   std::optional<std::int64_t> axis = -1);

// Where values would be inserted: before the elements that equal them, or behind these.
enum class SearchSide : std::uint8_t { left, right };
// int64, of v's shape; `a` has one dimension and is sorted.
Array searchsorted(const Array& a, const Array& v, SearchSide side = SearchSide::left);

}  // namespace cupola
