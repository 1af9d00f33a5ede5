// a[index].

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "core/array_state.h"
#include "cupola/error.h"
#include "cupola/ops/index.h"
#include "cupola/ops/manip.h"
#include "exec/evaluation/deferral.h"
#include "exec/evaluation/evaluator.h"
#include "exec/evaluation/views.h"
#include "graph/result_layout.h"
#include "ops/indexing/index_host.h"
#include "ops/indexing/index_plan.h"
#include "ops/support.h"

namespace cupola {

namespace {

// The same elements with fewer dimensions: neighbours that are not indexed and that one stride
// walks become one. The result has the row-major order of plan.result_shape.
IndexPlan with_merged_dimensions(const IndexPlan& plan) {
  IndexPlan merged = plan;
  merged.shape = {};
  merged.layout.strides = {};
  std::vector<bool> is_advanced(plan.shape.size(), false);
  for (const AdvancedTerm& term : plan.advanced) is_advanced[term.dimension] = true;
  std::size_t seen = 0;         // dimensions that are not indexed
  std::size_t group_start = 0;  // of `merged.shape`: dimensions before must not merge further
  for (std::size_t d = 0; d < plan.shape.size(); ++d) {
    if (is_advanced[d]) continue;
    if (seen++ == plan.position) merged.position = group_start = merged.shape.size();
    if (plan.shape[d] == 1) continue;
    const std::int64_t stride = plan.layout.strides[d];
    if (merged.shape.size() > group_start &&
        merged.layout.strides.back() == stride * plan.shape[d]) {
      merged.shape.back() *= plan.shape[d];
      merged.layout.strides.back() = stride;
    } else {
      merged.shape.push_back(plan.shape[d]);
      merged.layout.strides.push_back(stride);
    }
  }
  if (seen <= plan.position) merged.position = merged.shape.size();
  merged.result_shape = merged.shape;
  for (std::size_t i = 0; i < plan.advanced_shape.size(); ++i) {
    merged.result_shape.insert(merged.position + i, plan.advanced_shape[i]);
  }
  for (AdvancedTerm& term : merged.advanced) {
    const std::size_t old = term.dimension;
    term.dimension = merged.shape.size();
    merged.shape.push_back(plan.shape[old]);
    merged.layout.strides.push_back(plan.layout.strides[old]);
  }
  return merged;
}

// The plan of the same elements in the order in which NumPy has them in memory: the dimensions of
// index arrays outside, then the others, those with larger strides first. `places` tells where the
// dimensions of plan.result_shape are in it.
IndexPlan in_memory_order(const IndexPlan& plan, const Array& source, Dims& places) {
  std::vector<bool> is_advanced(plan.shape.size(), false);
  for (const AdvancedTerm& term : plan.advanced) is_advanced[term.dimension] = true;
  std::vector<std::size_t> others;
  for (std::size_t d = 0; d < plan.shape.size(); ++d) {
    if (!is_advanced[d]) others.push_back(d);
  }
  Layout layout{{}, plan.layout.offset};
  Dims shape;
  for (const std::size_t d : others) {
    shape.push_back(plan.shape[d]);
    layout.strides.push_back(plan.layout.strides[d]);
  }
  const Dims steps = natural_strides(make_view(source, shape, layout));
  Dims order(others.size(), 0);  // of `others`
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t x, std::int64_t y) {
    return steps[static_cast<std::size_t>(x)] > steps[static_cast<std::size_t>(y)];
  });
  std::vector<std::size_t> sorted;
  for (const std::int64_t i : order) sorted.push_back(others[static_cast<std::size_t>(i)]);

  IndexPlan result = plan;
  result.position = 0;
  result.shape = {};
  result.layout.strides = {};
  result.result_shape = plan.advanced_shape;
  std::vector<std::size_t> dimensions = sorted;  // of plan.shape
  for (AdvancedTerm& term : result.advanced) {
    dimensions.push_back(term.dimension);
    term.dimension = dimensions.size() - 1;
  }
  for (const std::size_t d : dimensions) {
    result.shape.push_back(plan.shape[d]);
    result.layout.strides.push_back(plan.layout.strides[d]);
  }
  for (const std::size_t d : sorted) result.result_shape.push_back(plan.shape[d]);

  const auto indexed = static_cast<std::int64_t>(plan.advanced_shape.size());
  places = {};
  for (const std::size_t d : others) {
    const auto found = std::find(sorted.begin(), sorted.end(), d) - sorted.begin();
    places.push_back(indexed + found);
  }
  for (std::int64_t i = 0; i < indexed; ++i) {
    places.insert(plan.position + static_cast<std::size_t>(i), i);
  }
  return result;
}

// Fewer elements are read where they lie, however far apart.
constexpr std::int64_t kFewToTranspose = std::int64_t{1} << 16;

// Whether neighbours in memory are along a dimension that is indexed: then a walk along the others,
// as the result has it, would read one element of each line.
bool picks_neighbours(const IndexPlan& plan) {
  const auto is_indexed = [&](std::size_t d) {
    return std::any_of(plan.advanced.begin(), plan.advanced.end(),
                       [&](const AdvancedTerm& term) { return term.dimension == d; });
  };
  constexpr std::int64_t far = std::numeric_limits<std::int64_t>::max();
  std::int64_t least[] = {far, far};  // stride along the others and along those indexed
  for (std::size_t d = 0; d < plan.shape.size(); ++d) {
    if (plan.shape[d] == 1) continue;
    std::int64_t& stride = least[is_indexed(d) ? 1 : 0];
    stride = std::min(stride, std::abs(plan.layout.strides[d]));
  }
  return least[1] < least[0] && least[0] != far;
}

bool is_whole_mask(const Array& a, const Index& index) {
  if (index.size() != 1) return false;
  const auto* mask = std::get_if<Array>(&index.front());
  return mask != nullptr && mask->dtype() == DType::bool_ && mask->rank() > 0 &&
         mask->shape() == a.shape();
}

}  // namespace

Array gather(const Array& source, Array offsets, char order) {
  const Array result = make_gather(source, offsets);
  const Dims strides = order == 'K' ? natural_strides(offsets) : c_strides(result.shape());
  offsets = {};  // nobody else holds them: they become a part of the kernel
  lay_out(result, strides);
  return defer(result);
}

Array gather_elements(const Array& source, const IndexPlan& plan) {
  const IndexPlan merged =
      element_count(plan.result_shape) == 0 ? plan : with_merged_dimensions(plan);
  Array offsets = offsets_node(merged, source.device());
  const bool is_empty = element_count(merged.result_shape) == 0;
  if (!is_empty && merged.result_shape == plan.result_shape)
    return gather(source, std::move(offsets));
  const Array target = allocate_array(source.dtype(), merged.result_shape, source.device());
  if (!is_empty) write(make_gather(source, offsets), target);
  return reshape(target, plan.result_shape);
}

Array get_index(const Array& a, const Index& index) {
  laid_out(a);
  if (is_whole_mask(a, index)) {
    return compress(evaluate(a), std::get<Array>(index.front()));
  }
  const IndexPlan plan = plan_index(a, index);
  if (plan.is_basic) return view_of(a, plan.shape, plan.layout);
  const Array source = make_view(evaluate(a), plan.shape, plan.layout);
  if (element_count(plan.advanced_shape) == element_count(plan.result_shape)) {
    if (Array picked = get_on_host(source, plan); picked.has_value()) return picked;
    return gather(source, offsets_node(plan, a.device()), 'K');
  }
  Dims places;
  const IndexPlan ordered = in_memory_order(plan, source, places);
  if (Array picked = get_on_host(source, ordered); picked.has_value()) {
    return transpose(picked, places);
  }
  if (element_count(plan.result_shape) >= kFewToTranspose && picks_neighbours(plan)) {
    const Array result = allocate_strided(source.dtype(), ordered.result_shape, source.device(),
                                          c_strides(ordered.result_shape));
    write(evaluate(gather_elements(source, plan)), transpose(result, places));
    return transpose(result, places);
  }
  return transpose(gather_elements(source, ordered), places);
}

}  // namespace cupola
