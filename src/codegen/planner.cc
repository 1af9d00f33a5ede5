#include "codegen/planner.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>

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
  const Extent extent = touched_extent(extents, Layout{strides, 0});
  constexpr std::int64_t limit = std::numeric_limits<std::int32_t>::max();
  return extent.last > limit || extent.first < -limit || element_count(extents) > limit;
}

// Builds operands in step with their iteration strides.
class PlanBuilder {
 public:
  explicit PlanBuilder(Dims extents) { iteration_.extents = std::move(extents); }

  Iteration& iteration() { return iteration_; }
  Lowering& lowering() { return lowering_; }
  KernelPlan& plan() { return launch_.plan; }

  // Arrays that decide the order of dimensions, before the inputs, and are no operands.
  void add_layouts(const std::vector<Array>& arrays, const Dims& space, const Dims& order) {
    for (const Array& array : arrays) {
      iteration_.strides.push_back(
          permuted(broadcast_strides(array.shape(), strides_of(array), space), order));
      iteration_.offsets.push_back(0);
      layout_bytes_.push_back(array.item_size());
    }
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
    }
  }
  void add_indexed_input(const Array& array) {
    launch_.reads.push_back(array);
    add_operand(array, Dims(iteration_.extents.size(), 0), true);
  }
  void add_output(const Array& target, const Dims& strides, OutputSpec spec) {
    if (!first_output_) first_output_ = operands_.size();
    launch_.writes.push_back(target);
    launch_.plan.outputs.push_back(spec);
    add_operand(target, strides, spec.store != StoreKind::plain);
  }

  PlannedLaunch finish(std::size_t leading) {
    launch_.plan.steps = std::move(lowering_.steps);
    launch_.arguments.scalars = std::move(lowering_.scalars);
    for (const Scalar& scalar : launch_.arguments.scalars) {
      launch_.plan.scalars.push_back(scalar.dtype());
    }
    const bool reduces =
        launch_.plan.kind == PlanKind::reduce || launch_.plan.kind == PlanKind::arg_reduce;
    simplify(iteration_, leading);
    if (!layout_bytes_.empty()) launch_.arguments.along_columns = runs_along_columns();
    launch_.plan.rank = iteration_.extents.rank();
    launch_.plan.reduced_rank = iteration_.reduced_rank;
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      const bool is_output = i >= first_output_.value();
      place_operand(i, is_output, is_output && reduces);
    }
    launch_.arguments.extents = iteration_.extents;
    return std::move(launch_);
  }
  std::size_t first_output() const { return first_output_.value(); }

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

  void place_operand(std::size_t i, bool is_output, bool is_reduced_output) {
    const auto& [array, indexed] = operands_[i];
    OperandArgument argument{pointer_of(array), {}};
    OperandSpec spec{array.dtype(), OperandLayout::indexed, false};
    KernelPlan& plan = launch_.plan;
    if (indexed) {
      plan.wide_index |= needs_wide_index(array.shape(), strides_of(array));
    } else {
      const std::size_t at = layout_bytes_.size() + i;
      argument.strides = iteration_.strides[at];
      argument.pointer =
          static_cast<char*>(argument.pointer) + iteration_.offsets[at] * array.item_size();
      spec.layout = is_reduced_output ? OperandLayout::strided
                                      : layout_of(iteration_.extents, argument.strides);
      spec.aligned16 = is_aligned16(argument.pointer, argument.strides, item_size(spec.dtype));
      plan.wide_index |= needs_wide_index(iteration_.extents, argument.strides);
    }
    if (is_output) {
      plan.outputs[i - first_output()].operand = spec;
      launch_.arguments.outputs.push_back(std::move(argument));
    } else {
      plan.inputs.push_back(spec);
      launch_.arguments.inputs.push_back(std::move(argument));
    }
  }

  bool runs_along_columns() const {
    const std::size_t rank = iteration_.extents.size();
    const std::size_t kept = rank - static_cast<std::size_t>(iteration_.reduced_rank);
    std::int64_t votes = 0;
    for (std::size_t i = 0; i < layout_bytes_.size(); ++i) {
      const std::int64_t across = smallest_stride(i, 0, kept);
      const std::int64_t along = smallest_stride(i, kept, rank);
      if (across != along) votes += across < along ? layout_bytes_[i] : -layout_bytes_[i];
    }
    return votes > 0;
  }
  // Magnitude of the smallest stride that moves; a huge number when none does.
  std::int64_t smallest_stride(std::size_t layout, std::size_t first, std::size_t last) const {
    std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
    for (std::size_t d = first; d < last; ++d) {
      const std::int64_t stride = std::abs(iteration_.strides[layout][d]);
      if (iteration_.extents[d] > 1 && stride > 0) smallest = std::min(smallest, stride);
    }
    return smallest;
  }

  Iteration iteration_;
  std::vector<std::int64_t> layout_bytes_;  // per element, of the arrays of add_layouts()
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
    case NodeKind::gather:
      break;
  }
  return PlanKind::reduce;
}

// Scalars of all steps are one list.
void plan_finish(PlanBuilder& builder, const Array& combined, const Array& result, DType dtype) {
  Lowering finish;
  finish.bind(combined);
  builder.plan().finish_value = finish.lower_as(result, dtype);
  std::vector<Scalar>& scalars = builder.lowering().scalars;
  for (Step& step : finish.steps) {
    if (step.kind == StepKind::scalar) {
      step.index = static_cast<std::uint16_t>(step.index + scalars.size());
    }
  }
  scalars.insert(scalars.end(), finish.scalars.begin(), finish.scalars.end());
  builder.plan().finish = std::move(finish.steps);
}

}  // namespace

std::vector<Array> Write::sources() const {
  std::vector<Array> result{value};
  if (offset.has_value()) result.push_back(offset);
  if (predicate.has_value()) result.push_back(predicate);
  return result;
}

PlannedLaunch plan_map(std::span<const Write> writes) {
  const Dims space = writes.front().space();
  PlanBuilder builder(space);
  Lowering& lowering = builder.lowering();
  std::vector<OutputSpec> specs;
  for (const Write& write : writes) {
    OutputSpec spec{.operand = {write.target.dtype(), OperandLayout::strided},
                    .value = lowering.lower_as(write.value, write.target.dtype()),
                    .store = write.store,
                    .combine = write.combine};
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

PlannedLaunch plan_reduction(const Array& pending, const Array& target, const Array& result) {
  const NodePointer pointer = node_of(pending);
  const Node& node = *pointer;
  const Array& input = node.inputs[0];
  const Dims order = axes_last(input.rank(), node.axes);
  PlanBuilder builder(permuted(input.shape(), order));
  Iteration& iteration = builder.iteration();
  KernelPlan& plan = builder.plan();
  plan.kind = plan_kind(node.kind);
  plan.combine = node.ufunc;
  plan.accumulator = node.accumulator;
  iteration.reduced_rank = node.axes.rank();
  iteration.permute_reduced = node.kind == NodeKind::reduce && ufunc_info(node.ufunc).reorderable;

  OutputSpec spec{.operand = {target.dtype(), OperandLayout::strided}};
  spec.value = builder.lowering().lower_as(input, node.accumulator);
  if (result.has_value()) plan_finish(builder, pending, result, target.dtype());
  const std::vector<Array> layouts = find_layouts(input);
  builder.add_layouts(layouts, input.shape(), order);
  builder.add_inputs(input.shape(), order);
  const std::size_t leading = widest(iteration, layouts.size());
  if (node.kind == NodeKind::segment_reduce) {
    builder.add_indexed_input(node.inputs[1]);
    builder.add_indexed_input(node.inputs[2]);
    plan.wide_index |= input.size() > std::numeric_limits<std::int32_t>::max();
    iteration.extents.back() = node.inputs[1].size();
  }
  Dims strides = strides_of(target);
  if (plan.kind == PlanKind::reduce || plan.kind == PlanKind::arg_reduce) {
    strides.resize(order.size());  // 0 along the reduced dimensions
  } else {
    strides = permuted(strides, order);
  }
  builder.add_output(target, strides, spec);
  return builder.finish(leading);
}

}  // namespace cupola
