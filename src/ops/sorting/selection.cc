// Elements by their rank, and rows that are parted by such elements. A platform that selects does
// not sort; elements of one rank are the same either way.

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/layout.h"
#include "cupola/error.h"
#include "cupola/ops/index.h"
#include "cupola/ops/manip.h"
#include "cupola/ops/sort.h"
#include "cupola/transfer.h"
#include "driver/registry.h"
#include "driver/select_problem.h"
#include "exec/evaluation/evaluator.h"
#include "exec/evaluation/views.h"
#include "exec/launch/launcher.h"
#include "ops/operands.h"
#include "ops/sorting/sort_digits.h"
#include "ops/sorting/sort_order.h"
#include "ops/support.h"

namespace cupola {

namespace {

Array take_ranks(const Array& rows, const Array& ranks) {
  const Array sorted = sort(rows, -1);
  if (ranks.rank() == 1) return moveaxis(take(sorted, ranks, -1), {-1}, {0});
  const Array places = moveaxis(ranks, {0}, {-1});
  return moveaxis(take_along_axis(sorted, places, -1), {-1}, {0});
}

// The rows' dimensions, before the last one, as they follow each other in memory.
std::vector<std::int64_t> order_in_memory(const Array& rows) {
  std::vector<std::int64_t> order(rows.shape().size() - 1);
  std::iota(order.begin(), order.end(), 0);
  const Dims steps = ordered_strides(get_index(moveaxis(rows, {-1}, {0}), {0}), 'K');
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return steps[static_cast<std::size_t>(a)] > steps[static_cast<std::size_t>(b)];
  });
  return order;
}

// `a`, row-major.
Array by_rows(const Array& a) {
  if (is_c_contiguous(a)) return a;
  const Array copied = allocate_array(a.dtype(), a.shape(), a.device());
  write(a, copied);
  return copied;
}

// Rows whose elements are neighbours in memory. CPUs bring these together by themselves.
Array with_neighbours(const Array& rows) {
  if (strides_of(rows).back() == 1) return rows;
  const Array copied = empty_rows(rows.dtype(), rows);
  write(rows, copied);
  return copied;
}

// Of rows that are stored, by a platform that can. Into `parted`, which may be missing, go the
// rows, parted as SelectProblem says.
Array select_from(const Array& rows, const Array& ranks, const Array& parted = {}) {
  const Array places = by_rows(ranks);
  Dims shape(std::span(rows.shape().data(), rows.shape().size() - 1));
  shape.insert(0, ranks.shape()[0]);
  std::vector<Array> outputs{allocate_array(rows.dtype(), shape, rows.device())};
  if (parted.has_value()) outputs.push_back(parted);
  launch_select({.dtype = rows.dtype(),
                 .in = pointer_of(rows),
                 .extents = rows.shape(),
                 .strides = strides_of(rows),
                 .ranks = pointer_of(places),
                 .rank_count = ranks.shape()[0],
                 .ranks_of_all = ranks.rank() == 1,
                 .out = pointer_of(outputs.front()),
                 .parted = parted.has_value() ? pointer_of(parted) : nullptr},
                rows, places, outputs);
  return outputs.front();
}

// The places, ascending, each once. Throws IndexError.
std::vector<std::int64_t> places_of(std::span<const std::int64_t> kth, std::int64_t extent) {
  std::vector<std::int64_t> places;
  for (const std::int64_t each : kth) {
    const std::int64_t place = each < 0 ? each + extent : each;
    if (place < 0 || place >= extent) throw IndexError("a place of a partition is out of bounds");
    places.push_back(place);
  }
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

bool is_sorted_whole(const Array& a, std::span<const std::int64_t> places) {
  return places.size() > kMaxParted || (is_complex(a.dtype()) && !parts_rows(a));
}

// How many of the elements at the places come before an element, or equal it: twice, as each that
// comes before counts once more.
Array bins_of(const Array& rows, std::span<const std::int64_t> places) {
  const Device device = rows.device();
  Array bins = make_constant(0, DType::uint8, device);
  if (places.empty()) return bins;
  const std::vector<std::int64_t> ranks(places.begin(), places.end());
  const Array found = select_ranks(rows, from_vector(ranks, device));
  Dims shape = rows.shape();
  shape.back() = 1;
  const auto count = [&bins](const Array& condition) {
    bins = make_ufunc(UfuncId::add, {bins, make_cast(condition, DType::uint8)});
  };
  for (std::int64_t i = 0; i < std::ssize(places); ++i) {
    const Array element = reshape(get_index(found, {i}), shape);
    const bool has_parts = is_complex(rows.dtype());
    const Array is_less = has_parts ? is_before(parts_of(rows), parts_of(element))
                                    : is_before(rows, element, is_nan(element));
    count(make_ufunc(UfuncId::logical_not, {is_less}));
    count(has_parts ? is_before(parts_of(element), parts_of(rows))
                    : is_before(element, rows, is_nan(rows)));
  }
  return bins;
}

// Of rows along the last dimension, into `parted` or their places into `numbers`: row-major arrays.
void part_rows(const Array& rows, std::span<const std::int64_t> places, const Array& parted,
               const Array& numbers) {
  const bool is_direct = places.size() == 1 || (is_complex(rows.dtype()) && !places.empty());
  if (!numbers.has_value() && is_direct && parts_rows(rows)) {
    select_from(evaluate(rows),
                from_vector(std::vector(places.begin(), places.end()), rows.device()), parted);
    return;
  }
  const NumberedRows from{rows, numbers.has_value() ? places_in_rows(rows) : Array()};
  part_by_bins(from, broadcast_to(bins_of(rows, places), rows.shape()), {parted, numbers},
               2 * static_cast<int>(places.size()) + 1);
}

// The same along `axis`, into one target that lies as it lies.
void part_into(const Array& a, std::span<const std::int64_t> places, int axis, const Array& target,
               bool is_numbers) {
  const Array keys = as_rows(a, axis);
  const Array rows = moveaxis(target, {axis}, {-1});
  const bool is_direct = is_c_contiguous(rows);
  const Array direct = is_direct ? rows : empty_rows(target.dtype(), keys);
  is_numbers ? part_rows(keys, places, {}, direct) : part_rows(keys, places, direct, {});
  if (!is_direct) write(direct, rows);
}

}  // namespace

Array select_ranks(const Array& rows, const Array& ranks) {
  const std::int64_t count = ranks.shape()[0];
  if (rows.size() == 0 || count == 0) return take_ranks(rows, ranks);
  // The result lies as the rows do.
  const Array stored = evaluate(rows), places = evaluate(ranks);
  const std::vector<std::int64_t> order = order_in_memory(stored);
  Dims of_rows(std::span<const std::int64_t>{order}), of_result{0}, back(order.size() + 1, 0);
  for (const std::int64_t axis : order) {
    back[static_cast<std::size_t>(axis) + 1] = of_result.rank();
    of_result.push_back(axis + 1);
  }
  of_rows.push_back(std::ssize(order));
  const Array along = transpose(stored, of_rows);
  const Array wanted = ranks.rank() == 1 ? places : transpose(places, of_result);
  if (count > most_selected(along)) return transpose(take_ranks(along, wanted), back);
  const bool takes_any_rows = driver(along.device()).traits().selects_any_rows;
  return transpose(select_from(takes_any_rows ? along : with_neighbours(along), wanted), back);
}

Array partition(const Array& a, std::span<const std::int64_t> kth,
                std::optional<std::int64_t> axis) {
  const Array source = laid_out(axis ? a : ravel(a));
  const int along = normalize_axis(axis.value_or(0), source.rank());
  const std::vector<std::int64_t> places =
      places_of(kth, source.shape()[static_cast<std::size_t>(along)]);
  const bool is_short =
      is_complex(source.dtype()) && most_selected(moveaxis(source, {along}, {-1})) == 0;
  if (is_short || is_sorted_whole(source, places)) return sort(source, along);
  const Array target = allocate_ordered(source.dtype(), source, 'K');
  if (source.size() > 0) part_into(source, places, along, target, false);
  return target;
}

void partition_in_place(const Array& a, std::span<const std::int64_t> kth, std::int64_t axis) {
  if (!a.writable()) throw ValueError("partition array is read-only");
  try {
    write(partition(a, kth, axis), a);
  } catch (const OutOfMemoryError&) {
    sort_in_place(a, axis);
  }
}

Array argpartition(const Array& a, std::span<const std::int64_t> kth,
                   std::optional<std::int64_t> axis) {
  const Array source = laid_out(axis && a.rank() > 0 ? a : ravel(a));
  const int along = normalize_axis(axis.value_or(0), source.rank());
  const std::vector<std::int64_t> places =
      places_of(kth, source.shape()[static_cast<std::size_t>(along)]);
  if (is_sorted_whole(source, places)) return argsort(source, along);
  const Array target = allocate_beside(DType::int64, source.shape(), source);
  if (source.size() > 0) part_into(source, places, along, target, true);
  return target;
}

}  // namespace cupola
