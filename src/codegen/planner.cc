#include "codegen/planner.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include "codegen/launch_builder.h"
#include "graph/fusion.h"

namespace cupola {

namespace {

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
void plan_finish(LaunchBuilder& builder, const Array& combined, const Array& result, DType dtype) {
  Lowering finish(builder.snapshot());
  finish.bind(combined);
  ReducePlan& reduce = std::get<ReducePlan>(builder.plan().own);
  reduce.finish_value = finish.lower_as(result, dtype);
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
  reduce.finish = std::move(finish.steps);
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
  LaunchBuilder builder(space, snapshot);
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
  LaunchBuilder builder(space, snapshot);
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
  LaunchBuilder builder(space, snapshot);
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
  LaunchBuilder builder(permuted(input.shape(), order), snapshot);
  Iteration& iteration = builder.iteration();
  KernelPlan& plan = builder.plan();
  CombineSpec combine{.ufunc = node.ufunc, .accumulator = node.accumulator};
  if (node.kind == NodeKind::reduce && node.function) {
    combine.function = combining_index(builder.lowering().add_call({node.function, 0, {}}));
  }
  plan.own = plan_of_kind(plan_kind(node.kind), combine, node.axes.rank());
  iteration.reduced_rank = node.axes.rank();
  iteration.permute_reduced = node.kind == NodeKind::reduce && is_reorderable(node);

  OutputSpec spec{.operand = {target.dtype(), OperandLayout::strided}};
  spec.value = builder.lowering().lower_as(input, node.accumulator);
  if (result.has_value()) plan_finish(builder, pending, result, target.dtype());
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
  const bool reduces = is_reduction(plan.kind());
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
  LaunchBuilder builder(permuted(space, order), snapshot);
  builder.plan().own = RowsPlan{axes.rank()};
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
