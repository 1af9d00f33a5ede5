#include "cupola/ops/strides.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/array_state.h"
#include "cupola/error.h"
#include "exec/evaluation/evaluator.h"
#include "exec/evaluation/views.h"

namespace cupola {

namespace {

void check_extents(const Dims& shape, const Dims& strides) {
  if (shape.size() != strides.size()) {
    throw ValueError(fmt::format("there must be a stride for each dimension of {}, not {} strides",
                                 to_string(shape), strides.size()));
  }
  if (std::any_of(shape.begin(), shape.end(), [](std::int64_t extent) { return extent < 0; })) {
    throw ValueError("negative dimensions are not allowed: " + to_string(shape));
  }
}

bool is_within(const Extent& part, const Extent& whole) {
  return whole.first <= part.first && part.last <= whole.last;
}

// Elements before the first and behind the last one that the array itself touches are there where
// it is a view of a part of its storage.
void check_storage(const Array& a, const Extent& touched) {
  const auto count = static_cast<std::int64_t>(a.state().storage->bytes()) / a.item_size();
  if (is_within(touched, {0, count - 1})) return;
  throw ValueError(fmt::format(
      "the view touches elements {} to {} of memory that holds {}; the array starts at element {}",
      touched.first, touched.last, count, a.state().layout.offset));
}

}  // namespace

Array strided_view(const Array& a, const Dims& shape, const Dims& strides) {
  check_extents(shape, strides);
  const bool has_elements = element_count(shape) > 0;
  laid_out(a);
  Layout layout{strides, a.state().layout.offset};
  const Extent touched = touched_extent(shape, layout);
  if (has_elements && !is_within(touched, touched_extent(a.shape(), a.state().layout))) {
    check_storage(evaluate(a), touched);
  }
  const bool is_read_only = overlaps_itself(shape, strides) || !a.writable();
  Array view = view_of(a, shape, std::move(layout));
  if (is_read_only) view.state().writable = false;
  return view;
}

}  // namespace cupola
