// Sorting: rows of elements are parted by one digit of their keys after the other, from the least
// significant one, each time stably; short ones are sorted by one kernel.

#include "cupola/ops/sort.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "codegen/cuda_traits.h"
#include "core/layout.h"
#include "cupola/error.h"
#include "cupola/ops/index.h"
#include "cupola/ops/manip.h"
#include "cupola/runtime.h"
#include "exec/evaluator.h"
#include "exec/views.h"
#include "ops/operands.h"
#include "ops/sort_pieces.h"
#include "ops/support.h"

namespace cupola {

namespace {

// The place of each element in its row, along the last dimension.
Array places_in_rows(const Array& keys) {
  const std::size_t rank = keys.shape().size();
  const Array places = axis_positions(keys.shape().back(), rank - 1, rank, keys.device());
  const bool narrow = keys.shape().back() <= std::numeric_limits<std::int32_t>::max();
  return make_cast(places, narrow ? DType::int32 : DType::int64);
}

Array empty_rows(DType dtype, const Array& keys) {
  return allocate_array(dtype, keys.shape(), keys.device());
}

// Whether it costs less to compute it in both walks of a partition than to store it; `left` counts
// down the operations that are little enough.
bool is_soon_computed(const Array& a, int& left) {
  const NodePointer node = node_of(a);
  if (!node || node->kind == NodeKind::scalar || node->kind == NodeKind::index) return true;
  const bool is_little = node->kind == NodeKind::cast || node->kind == NodeKind::view ||
                         (node->kind == NodeKind::ufunc && is_cheap(node->ufunc));
  if (!is_little || --left < 0) return false;
  return std::all_of(node->inputs.begin(), node->inputs.end(),
                     [&](const Array& input) { return is_soon_computed(input, left); });
}

// With `axis` last. Rows whose elements lie far apart are brought together first, by tiles.
Array as_rows(const Array& a, int axis) {
  constexpr std::int64_t kFar = 32;  // bytes: what a memory reads at one time
  const Array rows = moveaxis(a, {axis}, {-1});
  if (rows.rank() < 2 || rows.shape().back() == 1) return rows;
  if (std::abs(strides_of(rows).back()) * rows.item_size() < kFar) return rows;
  const Array gathered = empty_rows(rows.dtype(), rows);
  write(rows, gathered);
  return gathered;
}

void order(std::span<Write> writes, StoreKind store, const Array& offset) {
  for (Write& write : writes) {
    write.store = store;
    write.offset = offset;
  }
  write(writes);
}

// Sorts the rows of `keys`, which may be pending, into `sorted` and the numbers of their elements
// into `places`: row-major arrays of its shape, of which one may be missing. `sorted` may be
// `keys`; whatever is thrown then, it has all its elements.
void sort_by_digits(const Array& keys, const Array& sorted, const Array& places) {
  Array numbers = places.has_value() ? places_in_rows(keys) : Array();
  int most = 3;
  Array now = is_soon_computed(keys, most) ? keys : evaluate(keys), spare;
  const int digits = sort_digits(keys.dtype());
  // The result and one array beside it take turns, so that the last pass writes the result.
  const auto target_of = [&](int number) {
    const bool is_results = (digits - 1 - number) % 2 == 0;
    if (sorted.has_value() && is_results) return sorted;
    if (!sorted.has_value()) return empty_rows(keys.dtype(), keys);
    if (!spare.has_value()) spare = empty_rows(keys.dtype(), keys);
    return spare;
  };
  const auto pass = [&](int number) {
    const bool last = number + 1 == digits;
    std::vector<Write> writes;
    if (sorted.has_value() || !last) {
      writes.push_back({.value = now, .target = target_of(number)});
    }
    if (places.has_value()) {
      const Array target = last ? places : empty_rows(numbers.dtype(), keys);
      writes.push_back({.value = numbers, .target = target});
    }
    order(
        writes, StoreKind::partition,
        make_ufunc(UfuncId::sort_digit, {now, make_constant(number, DType::uint8, keys.device())}));
    now = writes.front().target;
    if (places.has_value()) numbers = writes.back().target;
  };
  int number = 0;
  try {
    for (; number < digits; ++number) pass(number);
  } catch (...) {
    if (number > 0 && sorted.has_value()) write(now, sorted);
    throw;
  }
}

// The same for rows of any length.
void sort_at_once(const Array& keys, const Array& sorted, const Array& places) {
  if (keys.shape().back() > longest_sorted_row(keys.dtype())) {
    return sort_by_digits(keys, sorted, places);
  }
  std::vector<Write> writes;
  if (sorted.has_value()) writes.push_back({.value = keys, .target = sorted});
  if (places.has_value()) writes.push_back({.value = places_in_rows(keys), .target = places});
  order(writes, StoreKind::sort, keys);
}

void sort_rows(const Array& keys, const Array& sorted);

// Sorts each row where it is, with less memory than another array of them takes.
void sort_with_less_memory(const Array& sorted) {
  constexpr std::int64_t kFewestPieces = 4, kMostPieces = 64, kLeastPiece = 64 * 1024;
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
      if (pieces == kMostPieces || length / pieces < kLeastPiece) throw;
    }
  }
}

// Sorts the rows of `keys` into `sorted`, as sort_by_digits().
void sort_rows(const Array& keys, const Array& sorted) {
  try {
    sort_at_once(keys, sorted, {});
  } catch (const OutOfMemoryError&) {
    if (node_of(keys) || pointer_of(keys) != pointer_of(sorted)) write(keys, sorted);
    sort_with_less_memory(sorted);
  }
}

// Sorts the elements of `a` along `axis` into `target`, which lies as it lies.
void sort_into(const Array& a, int axis, const Array& target) {
  if (a.size() == 0) return;
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
  const Array target = allocate_ordered(source.dtype(), source, 'K');
  sort_into(source, along, target);
  return target;
}

void sort_in_place(const Array& a, std::int64_t axis) {
  if (!a.writable()) throw ValueError("sort array is read-only");
  const int along = normalize_axis(axis, a.rank());
  sort_into(evaluate(a), along, a);
}

Array argsort(const Array& a, std::optional<std::int64_t> axis) {
  // NumPy takes an array without dimensions for one of one element here.
  const Array source = laid_out(axis && a.rank() > 0 ? a : ravel(a));
  const int along = normalize_axis(axis.value_or(0), source.rank());
  const Array target = allocate_array(DType::int64, source.shape(), source.device());
  if (source.size() == 0) return target;
  const Array keys = as_rows(source, along);
  const Array rows = moveaxis(target, {along}, {-1});
  if (is_c_contiguous(rows)) {
    sort_at_once(keys, {}, rows);
    return target;
  }
  const Array places = empty_rows(DType::int64, keys);
  sort_at_once(keys, {}, places);
  write(places, rows);
  return target;
}

Array lexsort(std::span<const Array> keys, std::int64_t axis) {
  if (keys.empty()) throw TypeError("need sequence of keys with len > 0 in lexsort");
  for (const Array& key : keys) {
    if (key.shape() != keys.front().shape()) throw ValueError("all keys need to be the same shape");
  }
  if (keys.front().rank() == 0) return make_constant(0, DType::int64, keys.front().device());
  Array places = argsort(keys.front(), axis);
  for (const Array& key : keys.subspan(1)) {
    const Array next = argsort(take_along_axis(key, places, axis), axis);
    places = take_along_axis(places, next, axis);
  }
  return places;
}

namespace {

Array is_nan(const Array& a) {
  return is_inexact(a.dtype()) ? make_ufunc(UfuncId::isnan, {a}) : Array();
}

// In the order of sorting. `nan`: where b is one, if its dtype has any.
Array is_before(const Array& a, const Array& b, const Array& nan) {
  const Array less = make_ufunc(UfuncId::less, {a, b});
  if (!nan.has_value()) return less;
  return make_select(nan, make_ufunc(UfuncId::logical_not, {is_nan(a)}), less);
}

}  // namespace

// Halves the elements that are left, as often as it takes, all in one kernel.
Array searchsorted(const Array& a, const Array& v, SearchSide side) {
  if (a.rank() != 1) throw ValueError("searchsorted needs a sorted array of one dimension");
  const DType types[] = {a.dtype(), v.dtype()};
  const DType common = result_type(types, {});
  const Device device = v.device();
  Array begin = make_scalar(Scalar(std::int64_t{0}), v.shape(), device);
  if (a.size() == 0 || v.size() == 0) return finish(begin, {});
  const Array sorted = evaluate(ravel(a)), values = make_cast(v, common);
  const Array nan = is_nan(values);
  const auto number = [&](std::int64_t value) {
    return make_constant(value, DType::int64, device);
  };
  // Whether elements at these places stand before what is searched for.
  const auto are_before = [&](const Array& places) {
    const Array found = make_cast(make_gather(sorted, places), common);
    if (side == SearchSide::left) return is_before(found, values, nan);
    return make_ufunc(UfuncId::logical_not, {is_before(values, found, is_nan(found))});
  };
  for (std::int64_t left = sorted.size(); left > 1;) {
    const std::int64_t half = left / 2;
    const Array place = make_ufunc(UfuncId::add, {begin, number(half - 1)});
    begin = make_select(are_before(place), make_ufunc(UfuncId::add, {begin, number(half)}), begin);
    left -= half;
  }
  const Array last = make_cast(are_before(begin), DType::int64);
  return finish(make_ufunc(UfuncId::add, {begin, last}), {});
}

}  // namespace cupola
