#include "ops/sorting/sort_digits.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "codegen/plan.h"
#include "cupola/ops/index.h"
#include "cupola/ops/manip.h"
#include "exec/evaluation/evaluator.h"
#include "ops/support.h"

namespace cupola {

namespace {

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

}  // namespace

Array part_of(const Array& row, std::int64_t begin, std::int64_t end, std::int64_t step) {
  return get_index(row, {Slice{begin, end, step}});
}

Array as_rows(const Array& a, int axis) {
  constexpr std::int64_t kFar = 32;  // bytes: what a memory reads at one time
  const Array rows = moveaxis(a, {axis}, {-1});
  if (rows.rank() < 2 || rows.shape().back() == 1) return rows;
  if (std::abs(strides_of(rows).back()) * rows.item_size() < kFar) return rows;
  const Array gathered = empty_rows(rows.dtype(), rows);
  write(rows, gathered);
  return gathered;
}

Array empty_rows(DType dtype, const Array& like) {
  return allocate_beside(dtype, like.shape(), like);
}

Array places_in_rows(const Array& elements) {
  const std::size_t rank = elements.shape().size();
  const Array places = axis_positions(elements.shape().back(), rank - 1, rank, elements.device());
  const bool narrow = elements.shape().back() <= std::numeric_limits<std::int32_t>::max();
  return make_cast(places, narrow ? DType::int32 : DType::int64);
}

void order(std::span<Write> writes, StoreKind store, const Array& offset) {
  for (Write& write : writes) {
    write.store = store;
    write.offset = offset;
  }
  write(writes);
}

void part_by_bins(const NumberedRows& rows, const Array& bins, const NumberedRows& result,
                  int count) {
  std::vector<Write> writes;
  const auto add = [&](const Array& value, const Array& target) {
    if (target.has_value()) {
      writes.push_back({.value = value, .target = target, .bins = count});
    }
  };
  add(rows.elements, result.elements);
  add(rows.numbers, result.numbers);
  order(writes, StoreKind::partition, bins);
}

void sort_by_digits(const NumberedRows& rows, const NumberedRows& result) {
  int most = 3;
  const Array& sorted = result.elements;
  const DType dtype = rows.elements.dtype();
  NumberedRows now = rows;
  if (!is_soon_computed(now.elements, most)) now.elements = evaluate(now.elements);
  Array spare;
  const int digits = sort_digits(dtype);
  // The result and one array beside it take turns, so that the last pass writes the result.
  const auto elements_of = [&](int number) {
    const bool is_results = (digits - 1 - number) % 2 == 0;
    if (sorted.has_value() && is_results) return sorted;
    if (!sorted.has_value()) return empty_rows(dtype, now.elements);
    if (!spare.has_value()) spare = empty_rows(dtype, now.elements);
    return spare;
  };
  const auto pass = [&](int number) {
    NumberedRows next = result;
    if (number + 1 < digits) {
      next.elements = elements_of(number);
      if (now.numbers.has_value()) next.numbers = empty_rows(now.numbers.dtype(), now.elements);
    }
    const Array digit = make_constant(number, DType::uint8, now.elements.device());
    part_by_bins(now, make_ufunc(UfuncId::sort_digit, {now.elements, digit}), next);
    now = next;
  };
  int number = 0;
  try {
    for (; number < digits; ++number) pass(number);
  } catch (...) {
    if (number > 0 && sorted.has_value()) write(now.elements, sorted);
    throw;
  }
}

}  // namespace cupola
