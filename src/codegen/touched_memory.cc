#include "codegen/touched_memory.h"

#include <algorithm>

namespace cupola {

namespace {

bool keeps_place(StoreKind store) {
  return store == StoreKind::plain || store == StoreKind::expand || orders_rows(store);
}

TouchedMemory touched_by_operand(const OperandSpec& spec, const OperandArgument& argument,
                                 std::span<const std::int64_t> extents, bool by_segments,
                                 std::span<const std::int64_t> turns = {}) {
  const std::size_t item = item_size(spec.dtype);
  const bool is_known = spec.layout != OperandLayout::indexed &&
                        argument.strides.size() + (by_segments ? 1 : 0) >= extents.size();
  if (!is_known) extents = {};
  // Segments say which elements of the last dimension; the first of them is not known here.
  if (by_segments && !extents.empty()) extents = extents.first(extents.size() - 1);
  TouchedMemory touched = touched_strided(argument.pointer, item, extents, argument.strides, turns);
  touched.is_whole = is_known && !by_segments;
  return touched;
}

}  // namespace

TouchedMemory touched_strided(const void* pointer, std::size_t item,
                              std::span<const std::int64_t> extents,
                              std::span<const std::int64_t> strides,
                              std::span<const std::int64_t> turns) {
  const auto* const element = static_cast<const char*>(pointer);
  if (std::ranges::find(extents, 0) != extents.end()) return {element, element};
  std::int64_t lowest = 0;
  std::int64_t highest = 0;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    const std::int64_t turn = d < turns.size() ? turns[d] : 0;
    const std::int64_t reach = ((turn > 0 ? turn : extents[d]) - 1) * strides[d];
    const std::int64_t behind = turn > 0 ? (turn - extents[d]) * strides[d] : 0;
    lowest += std::min({reach, behind, std::int64_t{0}});
    highest += std::max({reach, behind, std::int64_t{0}});
  }
  const auto bytes = static_cast<std::int64_t>(item);
  return {element + lowest * bytes, element + (highest + 1) * bytes};
}

std::vector<TouchedMemory> touched_by(const KernelPlan& plan, const LaunchArguments& arguments) {
  std::vector<TouchedMemory> touched;
  const Dims& extents = arguments.extents;
  if (std::find(extents.begin(), extents.end(), 0) != extents.end()) return touched;
  const bool by_segments = plan.kind() == PlanKind::segment_reduce;
  for (std::size_t i = 0; i < std::min(plan.inputs.size(), arguments.inputs.size()); ++i) {
    std::span<const std::int64_t> turns;
    if (i < arguments.turns.size()) turns = arguments.turns[i];
    touched.push_back(
        touched_by_operand(plan.inputs[i], arguments.inputs[i], extents, by_segments, turns));
  }
  for (std::size_t i = 0; i < std::min(plan.outputs.size(), arguments.outputs.size()); ++i) {
    touched.push_back(
        touched_by_operand(plan.outputs[i].operand, arguments.outputs[i], extents, false));
    touched.back().writes = true;
    touched.back().is_whole &= keeps_place(plan.outputs[i].store);
  }
  return touched;
}

}  // namespace cupola
