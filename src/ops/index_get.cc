// a[index].

#include <utility>

#include "core/array_state.h"
#include "cupola/error.h"
#include "cupola/ops/index.h"
#include "cupola/ops/manip.h"
#include "exec/deferral.h"
#include "exec/evaluator.h"
#include "exec/views.h"
#include "ops/index_plan.h"
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

bool is_whole_mask(const Array& a, const Index& index) {
  if (index.size() != 1) return false;
  const auto* mask = std::get_if<Array>(&index.front());
  return mask != nullptr && mask->dtype() == DType::bool_ && mask->rank() > 0 &&
         mask->shape() == a.shape();
}

}  // namespace

Array gather(const Array& source, Array offsets) {
  const Array result = make_gather(source, offsets);
  offsets = {};  // nobody else holds them: they become a part of the kernel
  lay_out(result, c_strides(result.shape()));
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
  return gather_elements(make_view(evaluate(a), plan.shape, plan.layout), plan);
}

}  // namespace cupola
