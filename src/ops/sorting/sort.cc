// Sorting: rows of elements are parted by one digit of their keys after the other, from the least
// significant one, each time stably; short ones are sorted by one kernel.

#include "cupola/ops/sort.h"

#include <algorithm>
#include <limits>

#include "codegen/plan.h"
#include "core/layout.h"
#include "cupola/error.h"
#include "cupola/ops/index.h"
#include "cupola/ops/manip.h"
#include "cupola/runtime.h"
#include "driver/registry.h"
#include "exec/evaluation/evaluator.h"
#include "exec/evaluation/views.h"
#include "exec/host/host_access.h"
#include "exec/host/host_result.h"
#include "ops/few_elements.h"
#include "ops/indexing/known_range.h"
#include "ops/operands.h"
#include "ops/sorting/sort_digits.h"
#include "ops/sorting/sort_near_memory.h"
#include "ops/sorting/sort_pieces.h"
#include "ops/support.h"
#include "runtime/observer.h"

namespace cupola {

namespace {

// Where places are sorted with keys by one thread for each row: longer ones are parted by all.
constexpr std::int64_t kLongestWithPlaces = 48 * 1024;

// Of few elements whose places the calling thread finds.
constexpr std::int64_t kMaxPlacesOnHost = 512;

// Whether the calling thread may sort the rows, which lie along the last dimension.
bool is_for_host(const Array& a, int along) {
  return a.rank() > 0 && along == a.rank() - 1 && a.size() <= kMaxOnHost && is_there(a);
}

bool is_same_memory(const Array& keys, const Array& sorted) {
  return !node_of(keys) && pointer_of(keys) == pointer_of(sorted);
}

// Sorts the rows of `keys`, which may be pending, into `sorted` and the numbers of their elements
// into `places`: row-major arrays of its shape, of which one may be missing. `sorted` may be
// `keys`; whatever is thrown then, it has all its elements.
void sort_at_once(const Array& keys, const Array& sorted, const Array& places) {
  const std::int64_t length = keys.shape().back();
  const bool is_long = length > longest_sorted_row(keys.dtype());
  const bool takes_long = driver(keys.device()).sorts_long_rows(keys.dtype()) &&
                          (!places.has_value() || length <= kLongestWithPlaces);
  if (is_long && !takes_long) {
    const Array numbers = places.has_value() ? places_in_rows(keys) : Array();
    const NumberedRows rows{keys, numbers}, result{sorted, places};
    if (!sort_near_memory(rows, result)) sort_by_digits(rows, result);
    return;
  }
  std::vector<Write> writes;
  if (sorted.has_value() && !places.has_value() && is_same_memory(keys, sorted)) {
    // One copy, for the values and for their order.
    const Array copy = empty_rows(keys.dtype(), keys);
    write(keys, copy);
    return sort_at_once(copy, sorted, {});
  }
  if (sorted.has_value()) writes.push_back({.value = keys, .target = sorted});
  if (places.has_value()) writes.push_back({.value = places_in_rows(keys), .target = places});
  order(writes, StoreKind::sort, keys);
}

void sort_rows(const Array& keys, const Array& sorted);

// Sorts each row where it is, with less memory than another array of them takes.
void sort_with_less_memory(const Array& sorted) {
  constexpr std::int64_t kFewestPieces = 4, kMaxPieces = 64, kLeastPiece = 64 * 1024;
  const std::int64_t length = sorted.shape().back(), count = sorted.size() / length;
  const Array rows = reshape(sorted, {count, length});
  if (count > 1) {
    for (const Slice& half : {Slice{0, count / 2, 1}, Slice{count / 2, count, 1}}) {
      const Array part = get_index(rows, {half});
      sort_rows(part, part);
    }
    return;
  }
  const Array row = reshape(rows, {length});
  for (std::int64_t pieces = kFewestPieces;; pieces *= 2) {
    try {
      return sort_pieces(row, pieces, [](const Array& piece) { sort_at_once(piece, piece, {}); });
    } catch (const OutOfMemoryError&) {
      if (pieces == kMaxPieces || length / pieces < kLeastPiece) throw;
    }
  }
}

// Sorts the rows of `keys` into `sorted`, as sort_at_once().
void sort_rows(const Array& keys, const Array& sorted) {
  try {
    sort_at_once(keys, sorted, {});
  } catch (const OutOfMemoryError&) {
    if (!is_same_memory(keys, sorted)) write(keys, sorted);
    sort_with_less_memory(sorted);
  }
}

void tell_of(const Array& sorted) {
  if (is_observed()) [[unlikely]]
    tell_sorted(sorted.state().storage, static_cast<std::size_t>(sorted.nbytes()));
}

// Sorts the elements of `a` along `axis` into `target`, which lies as it lies.
void sort_into(const Array& a, int axis, const Array& target) {
  if (a.size() == 0) return;
  tell_of(target);
  const Array keys = as_rows(a, axis);
  const Array rows = moveaxis(target, {axis}, {-1});
  if (is_c_contiguous(rows)) return sort_rows(keys, rows);
  const Array sorted = empty_rows(keys.dtype(), keys);
  sort_rows(keys, sorted);
  write(sorted, rows);
}

}  // namespace

Array sort(const Array& a, std::optional<std::int64_t> axis) {
  const Array source = laid_out(axis ? a : ravel(a));
  const int along = normalize_axis(axis.value_or(0), source.rank());
  if (is_for_host(source, along)) {
    if (Array now = sort_at_call(source); now.has_value()) return now;
  }
  const Array target = allocate_ordered(source.dtype(), source, 'K');
  sort_into(source, along, target);
  return target;
}

void sort_in_place(const Array& a, std::int64_t axis) {
  if (!a.writable()) throw ValueError("sort array is read-only");
  const int along = normalize_axis(axis, a.rank());
  if (is_for_host(a, along) && sort_in_place_at_call(a)) return;
  sort_into(evaluate(a), along, a);
}

Array argsort(const Array& a, std::optional<std::int64_t> axis) {
  // NumPy takes an array without dimensions for one of one element here.
  const Array source = laid_out(axis && a.rank() > 0 ? a : ravel(a));
  const int along = normalize_axis(axis.value_or(0), source.rank());
  if (source.size() <= kMaxPlacesOnHost && is_for_host(source, along)) {
    if (Array now = argsort_at_call(source); now.has_value()) return now;
  }
  const Array target = allocate_beside(DType::int64, source.shape(), source);
  if (source.size() == 0) return target;
  tell_of(target);
  const Array keys = as_rows(source, along);
  const Array rows = moveaxis(target, {along}, {-1});
  if (is_c_contiguous(rows)) {
    sort_at_once(keys, {}, rows);
  } else {
    const Array places = empty_rows(DType::int64, keys);
    sort_at_once(keys, {}, places);
    write(places, rows);
  }
  note_range(target, 0, source.shape()[static_cast<std::size_t>(along)] - 1);
  return target;
}

Array lexsort(std::span<const Array> keys, std::int64_t axis) {
  if (keys.empty()) throw TypeError("need sequence of keys with len > 0 in lexsort");
  for (const Array& key : keys) {
    if (key.shape() != keys.front().shape()) throw ValueError("all keys need to be the same shape");
  }
  const int along = normalize_axis(axis, std::max(keys.front().rank(), 1));
  if (keys.front().rank() == 0) return make_constant(0, DType::int64, keys.front().device());
  const std::int64_t extent = keys.front().shape()[static_cast<std::size_t>(along)];
  Array places = argsort(keys.front(), axis);
  for (const Array& key : keys.subspan(1)) {
    const Array next = argsort(take_along_axis(key, places, axis), axis);
    places = evaluate(take_along_axis(places, next, axis));
    note_range(places, 0, extent - 1);
  }
  return places;
}

}  // namespace cupola
