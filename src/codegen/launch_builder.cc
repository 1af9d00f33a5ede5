#include "codegen/launch_builder.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "base/mutant.h"

namespace cupola {

namespace {

bool is_aligned16(const void* pointer, const Dims& strides, std::size_t item) {
  if (reinterpret_cast<std::uintptr_t>(pointer) % 16 != 0) return false;
  for (std::size_t i = 0; i + 1 < strides.size(); ++i) {
    if (strides[i] * static_cast<std::int64_t>(item) % 16 != 0) return false;
  }
  return true;
}

OperandLayout layout_of(const Dims& extents, const Dims& strides) {
  if (std::all_of(strides.begin(), strides.end(), [](auto s) { return s == 0; })) {
    return OperandLayout::broadcast;
  }
  return is_c_contiguous(extents, strides) ? OperandLayout::contiguous : OperandLayout::strided;
}

bool needs_wide_index(const Dims& extents, const Dims& strides) {
  if (CUPOLA_MUTANT(narrow_index)) return false;
  const Extent extent = touched_extent(extents, Layout{strides, 0});
  constexpr std::int64_t limit = std::numeric_limits<std::int32_t>::max();
  return extent.last > limit || extent.first < -limit || element_count(extents) > limit;
}

bool is_combined(const Step& step) { return step.kind == StepKind::combine; }

}  // namespace

Dims permuted(const Dims& dims, const Dims& order) {
  Dims result;
  for (const std::int64_t axis : order) result.push_back(dims[static_cast<std::size_t>(axis)]);
  return result;
}

Dims axes_last(int rank, const Dims& axes) {
  Dims order;
  for (int axis = 0; axis < rank; ++axis) {
    if (std::find(axes.begin(), axes.end(), axis) == axes.end()) order.push_back(axis);
  }
  for (const std::int64_t axis : axes) order.push_back(axis);
  return order;
}

bool is_in_place(StoreKind store) {
  return store == StoreKind::plain || store == StoreKind::expand;
}

void LaunchBuilder::add_layouts(const std::vector<Array>& arrays, const Dims& space,
                                const Dims& order) {
  for (const Array& array : arrays) {
    iteration_.strides.push_back(
        permuted(broadcast_strides(array.shape(), snapshot_.strides_of(array), space), order));
    iteration_.offsets.push_back(0);
  }
  layout_count_ = arrays.size();
}

void LaunchBuilder::add_inputs(const Dims& space, const Dims& order) {
  for (const Lowering::Input& input : lowering_.inputs) {
    launch_.reads.push_back(input.array);
    Dims strides(order.size(), 0);
    if (!input.indexed) {
      strides =
          permuted(broadcast_strides(input.array.shape(), strides_of(input.array), space), order);
    }
    add_operand(input.array, strides, input.indexed);
    if (!input.shifts.empty()) turn_operand(space, order, input.shifts);
  }
}

void LaunchBuilder::add_indexed_input(const Array& read) {
  const Array& array = snapshot_.stored(read);
  launch_.reads.push_back(array);
  add_operand(array, Dims(iteration_.extents.size(), 0), true);
}

void LaunchBuilder::add_output(const Array& target, const Dims& strides, OutputSpec spec) {
  if (!first_output_) first_output_ = operands_.size();
  launch_.writes.push_back(target);
  launch_.plan.outputs.push_back(spec);
  add_operand(target, strides, !is_in_place(spec.store));
}

PlannedLaunch LaunchBuilder::finish(std::size_t leading) {
  launch_.plan.steps = std::move(lowering_.steps);
  if (launch_.plan.kind() != PlanKind::rows &&
      std::ranges::any_of(launch_.plan.steps, is_combined)) {
    throw StaleSnapshot();
  }
  launch_.plan.calls = std::move(lowering_.calls);
  launch_.arguments.scalars = std::move(lowering_.scalars);
  for (const Scalar& scalar : launch_.arguments.scalars) {
    launch_.plan.scalars.push_back(scalar.dtype());
  }
  const bool reduces = is_reduction(launch_.plan.kind());
  simplify(iteration_, leading);
  launch_.plan.rank = iteration_.extents.rank();
  launch_.plan.set_reduced_rank(iteration_.reduced_rank);
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    const bool is_output = i >= first_output_.value();
    const bool is_row = is_output && launch_.plan.outputs[i - first_output()].operand.per_row;
    place_operand(i, is_output, is_output && (reduces || is_row));
  }
  launch_.arguments.extents = iteration_.extents;
  if (!launch_.arguments.turns.empty()) launch_.arguments.turns.resize(launch_.plan.inputs.size());
  return std::move(launch_);
}

void LaunchBuilder::add_operand(const Array& array, const Dims& strides, bool indexed) {
  operands_.push_back({array, indexed});
  iteration_.strides.push_back(strides);
  iteration_.offsets.push_back(0);
}

// The last operand, which is rolled.
void LaunchBuilder::turn_operand(const Dims& space, const Dims& order, const Dims& shifts) {
  Dims turns(space.size(), 0);
  std::copy(shifts.begin(), shifts.end(), turns.end() - std::ssize(shifts));
  turns = permuted(turns, order);
  const Dims& strides = iteration_.strides.back();
  for (std::size_t d = 0; d < turns.size(); ++d) {
    if (strides[d] == 0) turns[d] = 0;
    if (turns[d] > 0) iteration_.offsets.back() += (iteration_.extents[d] - turns[d]) * strides[d];
  }
  iteration_.turns.resize(iteration_.strides.size());
  iteration_.turns.back() = std::move(turns);
}

// Whether all elements of a row are one; broadcast operands have one for all rows.
bool LaunchBuilder::is_per_row(const OperandArgument& argument) const {
  const auto kept = iteration_.extents.rank() - iteration_.reduced_rank;
  const auto stays = [](std::int64_t stride) { return stride == 0; };
  return std::all_of(argument.strides.begin() + kept, argument.strides.end(), stays) &&
         !std::all_of(argument.strides.begin(), argument.strides.end(), stays);
}

void LaunchBuilder::place_turns(const Dims& turns, std::size_t input, OperandSpec& spec) {
  Dims reached = iteration_.extents;  // the step back from a turn is that long
  for (std::size_t d = 0; d < turns.size(); ++d) {
    if (turns[d] == 0) continue;
    spec.turned |= std::uint32_t{1} << d;
    ++reached[d];
  }
  if (spec.turned == 0) return;
  launch_.plan.wide_index |= needs_wide_index(reached, launch_.arguments.inputs[input].strides);
  spec.layout = OperandLayout::strided;
  spec.aligned16 = false;
  launch_.arguments.turns.resize(input + 1);
  launch_.arguments.turns[input] = turns;
}

void LaunchBuilder::place_operand(std::size_t i, bool is_output, bool is_reduced_output) {
  const auto& [array, indexed] = operands_[i];
  OperandArgument argument{pointer_of(array), {}};
  OperandSpec spec{array.dtype(), OperandLayout::indexed, false};
  KernelPlan& plan = launch_.plan;
  if (indexed) {
    plan.wide_index |= needs_wide_index(array.shape(), strides_of(array));
  } else {
    const std::size_t at = layout_count_ + i;
    argument.strides = iteration_.strides[at];
    argument.pointer =
        static_cast<char*>(argument.pointer) + iteration_.offsets[at] * array.item_size();
    spec.layout = is_reduced_output ? OperandLayout::strided
                                    : layout_of(iteration_.extents, argument.strides);
    spec.aligned16 = is_aligned16(argument.pointer, argument.strides, item_size(spec.dtype));
    plan.wide_index |= needs_wide_index(iteration_.extents, argument.strides);
    spec.per_row =
        plan.kind() == PlanKind::rows && (is_output ? is_reduced_output : is_per_row(argument));
    if (spec.per_row) spec.layout = OperandLayout::strided;
  }
  if (is_output) {
    OutputSpec& output = plan.outputs[i - first_output()];
    output.operand = spec;
    if (output.store == StoreKind::tally) argument.places = array.size();
    launch_.arguments.outputs.push_back(std::move(argument));
  } else {
    launch_.arguments.inputs.push_back(std::move(argument));
    if (layout_count_ + i < iteration_.turns.size()) {
      place_turns(iteration_.turns[layout_count_ + i], i, spec);
    }
    plan.inputs.push_back(spec);
  }
}

}  // namespace cupola
