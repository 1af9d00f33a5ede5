#include "codegen/planner.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include "base/mutant.h"
#include "codegen/iteration.h"
#include "codegen/lower.h"
#include "graph/fusion.h"

namespace cupola {

namespace {

// Extents of `shape` in the order of `order`; strides likewise.
Dims permuted(const Dims& dims, const Dims& order) {
  Dims result;
  for (const std::int64_t axis : order) result.push_back(dims[static_cast<std::size_t>(axis)]);
  return result;
}

// All axes, those of `axes` last.
Dims axes_last(int rank, const Dims& axes) {
  Dims order;
  for (int axis = 0; axis < rank; ++axis) {
    if (std::find(axes.begin(), axes.end(), axis) == axes.end()) order.push_back(axis);
  }
  for (const std::int64_t axis : axes) order.push_back(axis);
  return order;
}

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

// Whether each element of the iteration space has a place of its own in the output.
bool is_in_place(StoreKind store) {
  return store == StoreKind::plain || store == StoreKind::expand;
}

bool is_combined(const Step& step) { return step.kind == StepKind::combine; }

// Builds operands in step with their iteration strides.
class PlanBuilder {
 public:
  PlanBuilder(Dims extents, const Snapshot& snapshot) : snapshot_(snapshot), lowering_(snapshot) {
    iteration_.extents = std::move(extents);
  }

  Iteration& iteration() { return iteration_; }
  Lowering& lowering() { return lowering_; }
  KernelPlan& plan() { return launch_.plan; }
  LaunchArguments& arguments() { return launch_.arguments; }

  // Arrays that decide the order of dimensions, before the inputs, and are no operands.
  void add_layouts(const std::vector<Array>& arrays, const Dims& space, const Dims& order) {
    for (const Array& array : arrays) {
      iteration_.strides.push_back(
          permuted(broadcast_strides(array.shape(), snapshot_.strides_of(array), space), order));
      iteration_.offsets.push_back(0);
    }
    layout_count_ = arrays.size();
  }
  // After lowering: gives every input its strides over `space`, taken in the order `order`.
  void add_inputs(const Dims& space, const Dims& order) {
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
  void add_indexed_input(const Array& read) {
    if (snapshot_.node_of(read)) throw StaleSnapshot();
    const Array& array = snapshot_.stored(read);
    launch_.reads.push_back(array);
    add_operand(array, Dims(iteration_.extents.size(), 0), true);
  }
  void add_output(const Array& target, const Dims& strides, OutputSpec spec) {
    if (!first_output_) first_output_ = operands_.size();
    launch_.writes.push_back(target);
    launch_.plan.outputs.push_back(spec);
    add_operand(target, strides, !is_in_place(spec.store));
  }

  PlannedLaunch finish(std::size_t leading) {
    launch_.plan.steps = std::move(lowering_.steps);
    if (launch_.plan.kind != PlanKind::rows &&
        std::ranges::any_of(launch_.plan.steps, is_combined)) {
      throw StaleSnapshot();
    }
    launch_.plan.calls = std::move(lowering_.calls);
    launch_.arguments.scalars = std::move(lowering_.scalars);
    for (const Scalar& scalar : launch_.arguments.scalars) {
      launch_.plan.scalars.push_back(scalar.dtype());
    }
    const bool reduces =
        launch_.plan.kind == PlanKind::reduce || launch_.plan.kind == PlanKind::arg_reduce;
    simplify(iteration_, leading);
    launch_.plan.rank = iteration_.extents.rank();
    launch_.plan.reduced_rank = iteration_.reduced_rank;
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      const bool is_output = i >= first_output_.value();
      const bool is_row = is_output && launch_.plan.outputs[i - first_output()].operand.per_row;
      place_operand(i, is_output, is_output && (reduces || is_row));
    }
    launch_.arguments.extents = iteration_.extents;
    if (!launch_.arguments.turns.empty())
      launch_.arguments.turns.resize(launch_.plan.inputs.size());
    return std::move(launch_);
  }
  std::size_t first_output() const { return first_output_.value(); }
  std::size_t operand_count() const { return operands_.size(); }

 private:
  struct PendingOperand {
    Array array;
    bool indexed;
  };

  void add_operand(const Array& array, const Dims& strides, bool indexed) {
    operands_.push_back({array, indexed});
    iteration_.strides.push_back(strides);
    iteration_.offsets.push_back(0);
  }

  // The last operand, which is rolled.
  void turn_operand(const Dims& space, const Dims& order, const Dims& shifts) {
    Dims turns(space.size(), 0);
    std::copy(shifts.begin(), shifts.end(), turns.end() - std::ssize(shifts));
    turns = permuted(turns, order);
    const Dims& strides = iteration_.strides.back();
    for (std::size_t d = 0; d < turns.size(); ++d) {
      if (strides[d] == 0) turns[d] = 0;
      if (turns[d] > 0)
        iteration_.offsets.back() += (iteration_.extents[d] - turns[d]) * strides[d];
    }
    iteration_.turns.resize(iteration_.strides.size());
    iteration_.turns.back() = std::move(turns);
  }

  // Whether all elements of a row are one; broadcast operands have one for all rows.
  bool is_per_row(const OperandArgument& argument) const {
    const auto kept = iteration_.extents.rank() - iteration_.reduced_rank;
    const auto stays = [](std::int64_t stride) { return stride == 0; };
    return std::all_of(argument.strides.begin() + kept, argument.strides.end(), stays) &&
           !std::all_of(argument.strides.begin(), argument.strides.end(), stays);
  }

  void place_turns(const Dims& turns, std::size_t input, OperandSpec& spec) {
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

  void place_operand(std::size_t i, bool is_output, bool is_reduced_output) {
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
          plan.kind == PlanKind::rows && (is_output ? is_reduced_output : is_per_row(argument));
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

  const Snapshot& snapshot_;
  Iteration iteration_;
  std::size_t layout_count_ = 0;  // of add_layouts(), in front
  Lowering lowering_;
  PlannedLaunch launch_;
  std::vector<PendingOperand> operands_;
  std::optional<std::size_t> first_output_;
};

Dims identity_order(int rank) { return axes_last(rank, {}); }

// Of the first `count` arrays, the one that walks the most dimensions.
std::size_t widest(const Iteration& iteration, std::size_t count) {
  std::size_t best = 0;
  std::ptrdiff_t most = -1;
  for (std::size_t i = 0; i < count; ++i) {
    const Dims& strides = iteration.strides[i];
    const auto walked = std::ssize(strides) - std::count(strides.begin(), strides.end(), 0);
    if (walked > most) {
      most = walked;
      best = i;
    }
  }
  return best;
}

PlanKind plan_kind(NodeKind kind) {
  switch (kind) {
    case NodeKind::arg_reduce:
      return PlanKind::arg_reduce;
    case NodeKind::scan:
      return PlanKind::scan;
    case NodeKind::segment_reduce:
      return PlanKind::segment_reduce;
    case NodeKind::reduce:
    case NodeKind::scalar:
    case NodeKind::index:
    case NodeKind::cast:
    case NodeKind::ufunc:
    case NodeKind::select:
    case NodeKind::user:
    case NodeKind::gather:
    case NodeKind::roll:
    case NodeKind::view:
      break;
  }
  return PlanKind::reduce;
}

// Of a reduction's result, over the space in the given order of its dimensions, reduced ones last.
Dims result_strides(const Array& target, const Dims& space, const Dims& axes, const Dims& order) {
  if (is_one_per_row(target.shape(), row_shape(space, axes))) {
    return permuted(broadcast_strides(target.shape(), strides_of(target), space), order);
  }
  Dims strides = strides_of(target);
  strides.resize(order.size());  // 0 along the reduced dimensions
  return strides;
}

// Scalars of all steps are one list, and so are calls.
void plan_finish(PlanBuilder& builder, const Array& combined, const Array& result, DType dtype,
                 const Snapshot& snapshot) {
  Lowering finish(snapshot);
  finish.bind(combined);
  builder.plan().finish_value = finish.lower_as(result, dtype);
  std::vector<Scalar>& scalars = builder.lowering().scalars;
  std::vector<UserStep>& calls = builder.lowering().calls;
  for (Step& step : finish.steps) {
    if (step.kind == StepKind::scalar) {
      step.index = static_cast<std::uint16_t>(step.index + scalars.size());
    } else if (step.kind == StepKind::user) {
      step.index = static_cast<std::uint16_t>(step.index + calls.size());
    }
  }
  scalars.insert(scalars.end(), finish.scalars.begin(), finish.scalars.end());
  calls.insert(calls.end(), finish.calls.begin(), finish.calls.end());
  builder.plan().finish = std::move(finish.steps);
}

}  // namespace

std::vector<Array> Write::sources() const {
  std::vector<Array> result{value};
  if (offset.has_value()) result.push_back(offset);
  if (predicate.has_value()) result.push_back(predicate);
  return result;
}

const Dims& Write::space() const {
  switch (store) {
    case StoreKind::plain:
    case StoreKind::expand:
      return target.shape();
    case StoreKind::scatter:
    case StoreKind::combine:
    case StoreKind::tally:
    case StoreKind::partition:
    case StoreKind::sort:
      return offset.shape();
    case StoreKind::count:
      return value.shape();
    case StoreKind::compress:
      return predicate.shape();
  }
  __builtin_unreachable();
}

namespace {

// One write that counts or numbers the elements of a mask.
PlannedLaunch plan_masked(const Write& write, const Snapshot& snapshot) {
  const Dims& space = write.space();
  PlanBuilder builder(space, snapshot);
  Lowering& lowering = builder.lowering();
  builder.iteration().permute_kept = false;
  OutputSpec spec{.operand = {write.target.dtype(), OperandLayout::strided}, .store = write.store};
  if (write.store == StoreKind::count) {
    spec.value = lowering.lower_as(write.value, DType::bool_);
  } else {
    spec.predicate = lowering.lower(write.predicate);
    spec.value = write.store == StoreKind::compress
                     ? lowering.lower_as(write.value, write.target.dtype())
                     : lowering.lower_ranked(write.value, write.target.dtype());
  }
  builder.add_inputs(space, identity_order(space.rank()));
  if (write.offset.has_value()) builder.add_indexed_input(write.offset);
  builder.add_output(write.target,
                     is_in_place(write.store) ? strides_of(write.target) : Dims(space.size(), 0),
                     spec);
  return builder.finish(builder.first_output());
}

// Writes that order the elements of rows, all by the same offset.
PlannedLaunch plan_ordered(std::span<const Write> writes, const Snapshot& snapshot) {
  const Write& first = writes.front();
  const Dims& space = first.space();
  PlanBuilder builder(space, snapshot);
  Lowering& lowering = builder.lowering();
  builder.iteration().reduced_rank = 1;
  builder.iteration().permute_kept = false;
  builder.iteration().permute_reduced = false;
  const std::int16_t offset = first.store == StoreKind::partition
                                  ? lowering.lower_as(first.offset, DType::uint8)
                                  : lowering.lower(first.offset);
  std::vector<OutputSpec> specs;
  for (const Write& write : writes) {
    specs.push_back({.operand = {write.target.dtype(), OperandLayout::strided},
                     .value = lowering.lower_as(write.value, write.target.dtype()),
                     .store = write.store,
                     .offset = offset,
                     .bins = static_cast<std::int16_t>(first.bins)});
  }
  builder.add_inputs(space, identity_order(space.rank()));
  for (std::size_t i = 0; i < writes.size(); ++i) {
    builder.add_output(writes[i].target, Dims(space.size(), 0), specs[i]);
  }
  return builder.finish(builder.first_output());
}

}  // namespace

PlannedLaunch plan_map(std::span<const Write> writes, const Snapshot& snapshot) {
  if (goes_by_mask_tiles(writes.front().store)) return plan_masked(writes.front(), snapshot);
  if (orders_rows(writes.front().store)) return plan_ordered(writes, snapshot);
  const Dims space = writes.front().space();
  PlanBuilder builder(space, snapshot);
  Lowering& lowering = builder.lowering();
  std::vector<OutputSpec> specs;
  for (const Write& write : writes) {
    OutputSpec spec{.operand = {write.target.dtype(), OperandLayout::strided},
                    .value = lowering.lower_as(write.value, write.target.dtype()),
                    .store = write.store,
                    .combine = write.combine,
                    .bins = static_cast<std::int16_t>(write.bins)};
    if (write.offset.has_value()) spec.offset = lowering.lower(write.offset);
    if (write.predicate.has_value()) spec.predicate = lowering.lower(write.predicate);
    specs.push_back(spec);
    builder.iteration().permute_kept &= write.store == StoreKind::plain;
  }
  for (const Step& step : lowering.steps) {
    builder.iteration().permute_kept &= step.kind != StepKind::index;
  }
  builder.add_inputs(space, identity_order(space.rank()));
  for (std::size_t i = 0; i < writes.size(); ++i) {
    const bool plain = writes[i].store == StoreKind::plain;
    builder.add_output(writes[i].target,
                       plain ? strides_of(writes[i].target) : Dims(space.size(), 0), specs[i]);
  }
  return builder.finish(builder.first_output());
}

PlannedLaunch plan_reduction(const Array& pending, const Array& target, const Array& result,
                             const Snapshot& snapshot) {
  const NodePointer pointer = snapshot.node_of(pending);
  const Node& node = *pointer;
  const Array& input = node.inputs[0];
  const Dims order = axes_last(input.rank(), node.axes);
  PlanBuilder builder(permuted(input.shape(), order), snapshot);
  Iteration& iteration = builder.iteration();
  KernelPlan& plan = builder.plan();
  plan.kind = plan_kind(node.kind);
  plan.combine = node.ufunc;
  if (node.kind == NodeKind::reduce && node.function) {
    plan.combine_index = combining_index(builder.lowering().add_call({node.function, 0, {}}));
  }
  plan.accumulator = node.accumulator;
  iteration.reduced_rank = node.axes.rank();
  iteration.permute_reduced = node.kind == NodeKind::reduce && is_reorderable(node);

  OutputSpec spec{.operand = {target.dtype(), OperandLayout::strided}};
  spec.value = builder.lowering().lower_as(input, node.accumulator);
  if (result.has_value()) plan_finish(builder, pending, result, target.dtype(), snapshot);
  const std::vector<Array> layouts = find_layouts(input, snapshot);
  builder.add_layouts(layouts, input.shape(), order);
  if (!layouts.empty()) {
    builder.arguments().is_outer = is_outer_reduction(layouts, input.shape(), node.axes, snapshot);
  }
  builder.add_inputs(input.shape(), order);
  const std::size_t leading = widest(iteration, layouts.size());
  if (node.kind == NodeKind::segment_reduce) {
    for (std::size_t i = 1; i <= 2; ++i) builder.add_indexed_input(node.inputs[i]);
    plan.wide_index |= input.size() > std::numeric_limits<std::int32_t>::max();
    iteration.extents.back() = node.inputs[1].size();
  }
  const bool reduces = plan.kind == PlanKind::reduce || plan.kind == PlanKind::arg_reduce;
  builder.add_output(target,
                     reduces ? result_strides(target, input.shape(), node.axes, order)
                             : permuted(strides_of(target), order),
                     spec);
  return builder.finish(leading);
}

PlannedLaunch plan_rows(std::span<const Write> writes, const RowSpace& rows,
                        const Snapshot& snapshot) {
  const Dims& space = rows.space;
  const Dims& axes = rows.axes;
  const Dims order = axes_last(space.rank(), axes);
  PlanBuilder builder(permuted(space, order), snapshot);
  builder.plan().kind = PlanKind::rows;
  builder.arguments().is_outer = rows.is_outer;
  builder.iteration().reduced_rank = axes.rank();
  builder.iteration().permute_reduced = false;
  std::vector<OutputSpec> specs;
  for (const Write& write : writes) {
    OutputSpec spec{.operand = {write.target.dtype(), OperandLayout::strided},
                    .value = builder.lowering().lower_as(write.value, write.target.dtype())};
    spec.operand.per_row = write.target.shape() != space;
    specs.push_back(spec);
  }
  builder.add_inputs(space, order);
  std::size_t leading = 0;
  for (std::size_t i = 0; i < writes.size(); ++i) {
    const Array& target = writes[i].target;
    const bool per_row = specs[i].operand.per_row;
    if (!per_row) leading = builder.operand_count();
    builder.add_output(
        target,
        per_row ? result_strides(target, space, axes, order) : permuted(strides_of(target), order),
        specs[i]);
  }
  return builder.finish(leading);
}

}  // namespace cupola
