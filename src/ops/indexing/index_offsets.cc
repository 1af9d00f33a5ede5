// From positions to element offsets.

#include "exec/evaluation/evaluator.h"
#include "ops/indexing/index_plan.h"
#include "ops/support.h"

namespace cupola {

namespace {

Array scaled(const Array& positions, std::int64_t factor) {
  if (factor == 1) return positions;
  return make_ufunc(UfuncId::multiply, {positions, make_int64(factor, positions.device())});
}

// A term that many elements of the result share is computed once.
Array shared_term(const Array& term, const Dims& result_shape) {
  return term.size() <= element_count(result_shape) / 2 ? evaluate(term) : term;
}

// What an advanced term adds to the offsets.
Array advanced_offsets(const IndexPlan& plan, const AdvancedTerm& term) {
  const std::size_t trailing =
      plan.result_shape.size() - plan.position - plan.advanced_shape.size();
  // Terms that broadcast to nothing pick nothing, whatever they hold.
  const bool picks = element_count(plan.advanced_shape) > 0;
  const Array placed = with_trailing_ones(term.positions, trailing);
  const Array positions =
      term.in_bounds || !picks
          ? make_cast(placed, DType::int64)
          : bounded_positions(placed, plan.shape[term.dimension], term.axis, IndexMode::raise);
  return shared_term(scaled(positions, plan.layout.strides[term.dimension]), plan.result_shape);
}

}  // namespace

Array offsets_node(const IndexPlan& plan, const Device& device) {
  const std::size_t rank = plan.result_shape.size();
  Array offsets;
  const auto accumulate = [&](const Array& term) {
    offsets = offsets.has_value() ? make_ufunc(UfuncId::add, {offsets, term}) : term;
  };
  std::vector<bool> is_advanced(plan.shape.size(), false);
  for (const AdvancedTerm& term : plan.advanced) {
    is_advanced[term.dimension] = true;
    accumulate(advanced_offsets(plan, term));
  }
  std::size_t axis = plan.position == 0 ? plan.advanced_shape.size() : 0;
  for (std::size_t d = 0; d < plan.shape.size(); ++d) {
    if (is_advanced[d]) continue;
    if (plan.shape[d] != 1) {
      const Array positions = axis_positions(plan.shape[d], axis, rank, device);
      accumulate(shared_term(scaled(positions, plan.layout.strides[d]), plan.result_shape));
    }
    if (++axis == plan.position) axis += plan.advanced_shape.size();
  }
  if (offsets.has_value() && offsets.shape() == plan.result_shape) return offsets;
  const Array zero = make_scalar(Scalar(std::int64_t{0}), plan.result_shape, device);
  return offsets.has_value() ? make_ufunc(UfuncId::add, {zero, offsets}) : zero;
}

Array flat_offsets(const Dims& shape, const Dims& strides, const Array& numbers) {
  if (is_c_contiguous(shape, strides)) return numbers;
  const Device& device = numbers.device();
  Array offsets;
  Array rest = numbers;
  for (std::size_t d = shape.size(); d-- > 0;) {
    if (shape[d] == 1) continue;
    const Array position = make_ufunc(UfuncId::remainder, {rest, make_int64(shape[d], device)});
    const Array term = scaled(position, strides[d]);
    offsets = offsets.has_value() ? make_ufunc(UfuncId::add, {offsets, term}) : term;
    rest = make_ufunc(UfuncId::floor_divide, {rest, make_int64(shape[d], device)});
  }
  return offsets.has_value() ? offsets : numbers;
}

}  // namespace cupola
