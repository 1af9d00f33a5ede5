#include "codegen/plan_description.h"

#include <algorithm>

#include "graph/user_function.h"

namespace cupola {

namespace {

std::string name_of(UfuncId ufunc) { return std::string(ufunc_info(ufunc).name); }

std::string reduction_name(UfuncId combine) {
  if (combine == UfuncId::add) return "sum";
  if (combine == UfuncId::multiply) return "prod";
  if (combine == UfuncId::maximum) return "max";
  if (combine == UfuncId::minimum) return "min";
  if (combine == UfuncId::logical_and) return "all";
  if (combine == UfuncId::logical_or) return "any";
  return name_of(combine) + ".reduce";
}

std::string reduction_name(const KernelPlan& plan, const CombineSpec& combine) {
  const UserFunction* function = combining_function(plan, combine.function);
  return function ? function->name : reduction_name(combine.ufunc);
}

std::string scan_name(UfuncId combine) {
  if (combine == UfuncId::add) return "cumsum";
  if (combine == UfuncId::multiply) return "cumprod";
  return name_of(combine) + ".accumulate";
}

void add_names(const KernelPlan& plan, std::span<const Step> steps,
               std::vector<std::string>& names) {
  for (const Step& step : steps) {
    if (std::string name = operation_name(plan, step); !name.empty())
      names.push_back(std::move(name));
  }
}

// What a map without operations does.
std::string move_name(const KernelPlan& plan) {
  const OutputSpec& output = plan.outputs.front();
  if (output.store == StoreKind::combine) return name_of(output.combine) + ".at";
  if (output.store == StoreKind::tally) return "bincount";
  if (output.store == StoreKind::scatter || output.store == StoreKind::expand) return "put";
  if (output.store == StoreKind::count) return "count_nonzero";
  if (output.store == StoreKind::compress) return "compress";
  if (output.store == StoreKind::partition) return "partition";
  if (output.store == StoreKind::sort) return "sort";
  if (!plan.inputs.empty()) return "copy";
  const bool numbers = std::any_of(plan.steps.begin(), plan.steps.end(),
                                   [](const Step& step) { return step.kind == StepKind::index; });
  return numbers ? "arange" : "fill";
}

}  // namespace

std::string operation_name(const KernelPlan& plan, const Step& step) {
  switch (step.kind) {
    case StepKind::load:
      return plan.inputs[step.index].turned != 0 ? "roll" : "";
    case StepKind::scalar:
    case StepKind::index:
    case StepKind::rank:
      return {};
    case StepKind::cast:
      return "astype(" + std::string(cupola::name_of(step.dtype)) + ")";
    case StepKind::ufunc:
      return name_of(step.ufunc);
    case StepKind::select:
      return "where";
    case StepKind::gather:
      return "take";
    case StepKind::combine:
      return reduction_name(plan, combine_of(step));
    case StepKind::user:
      return plan.calls[step.index].function->name;
  }
  __builtin_unreachable();
}

std::string operation_name(const Operation& operation) {
  switch (operation.kind) {
    case NodeKind::scalar:
      return "fill";
    case NodeKind::index:
      return "arange";
    case NodeKind::cast:
      return "astype";
    case NodeKind::ufunc:
      return name_of(operation.ufunc);
    case NodeKind::select:
      return "where";
    case NodeKind::user:
      return operation.function->name;
    case NodeKind::gather:
      return "take";
    case NodeKind::roll:
      return "roll";
    case NodeKind::reduce:
      return operation.function ? operation.function->name : reduction_name(operation.ufunc);
    case NodeKind::arg_reduce:
      return operation.ufunc == UfuncId::maximum ? "argmax" : "argmin";
    case NodeKind::scan:
      return scan_name(operation.ufunc);
    case NodeKind::segment_reduce:
      return name_of(operation.ufunc) + ".reduceat";
    case NodeKind::view:
      return "view";
  }
  __builtin_unreachable();
}

std::string combination_name(const KernelPlan& plan) {
  const CombineSpec* const combine = plan.combine();
  switch (plan.kind()) {
    case PlanKind::map:
    case PlanKind::rows:
      return {};
    case PlanKind::reduce:
      return reduction_name(plan, *combine);
    case PlanKind::arg_reduce:
      return combine->ufunc == UfuncId::maximum ? "argmax" : "argmin";
    case PlanKind::scan:
      return scan_name(combine->ufunc);
    case PlanKind::segment_reduce:
      return name_of(combine->ufunc) + ".reduceat";
  }
  __builtin_unreachable();
}

std::vector<std::string> operation_names(const KernelPlan& plan) {
  std::vector<std::string> names;
  add_names(plan, plan.steps, names);
  if (std::string name = combination_name(plan); !name.empty()) names.push_back(std::move(name));
  add_names(plan, finish_of(plan), names);
  const bool stores_elsewhere =
      plan.kind() == PlanKind::map && plan.outputs.front().store != StoreKind::plain;
  if (names.empty() || stores_elsewhere) names.push_back(move_name(plan));
  return names;
}

std::string operations_text(const KernelPlan& plan, std::size_t most) {
  std::vector<std::string> names = operation_names(plan);
  if (names.size() > most) {
    const std::size_t left_out = names.size() - most + 1;
    const auto first = names.begin() + static_cast<std::ptrdiff_t>(most - 2);
    names.erase(first, first + static_cast<std::ptrdiff_t>(left_out));
    names.insert(names.begin() + static_cast<std::ptrdiff_t>(most - 2),
                 std::to_string(left_out) + " more");
  }
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::int64_t operand_bytes(const OperandSpec& spec, const OperandArgument& argument,
                           const Dims& extents) {
  std::int64_t count = 1;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const bool moves = spec.layout == OperandLayout::indexed || argument.strides[i] != 0;
    if (moves || extents[i] == 0) count *= extents[i];
  }
  return count * static_cast<std::int64_t>(item_size(spec.dtype));
}

std::int64_t input_bytes(const KernelPlan& plan, const LaunchArguments& arguments,
                         std::span<const Array> reads, std::size_t input) {
  // The last extent of segments is their number, and says nothing of the elements in them.
  const bool by_tiles = plan.kind() == PlanKind::map && !plan.outputs.empty() &&
                        goes_by_mask_tiles(plan.outputs[0].store) &&
                        plan.inputs[input].layout == OperandLayout::indexed;
  const bool is_whole = plan.kind() == PlanKind::segment_reduce || by_tiles;
  if (is_whole && reads.size() == plan.inputs.size())
    return reads[input].size() * static_cast<std::int64_t>(reads[input].item_size());
  return operand_bytes(plan.inputs[input], arguments.inputs[input], arguments.extents);
}

Traffic traffic_of(const KernelPlan& plan, const LaunchArguments& arguments,
                   std::span<const Array> reads) {
  Traffic traffic;
  for (std::size_t i = 0; i < arguments.inputs.size(); ++i) {
    traffic.read += input_bytes(plan, arguments, reads, i);
  }
  for (std::size_t i = 0; i < arguments.outputs.size(); ++i) {
    const OutputSpec& output = plan.outputs[i];
    // Of compress, as if all elements had the predicate.
    const auto item = static_cast<std::int64_t>(item_size(output.operand.dtype));
    const std::int64_t bytes =
        output.store == StoreKind::count ? mask_tiles(element_count(arguments.extents)) * item
        : output.store == StoreKind::tally
            ? arguments.outputs[i].places * item
            : operand_bytes(output.operand, arguments.outputs[i], arguments.extents);
    traffic.written += bytes;
    if (output.store == StoreKind::combine || output.store == StoreKind::tally) {
      traffic.read += bytes;
    }
  }
  return traffic;
}

}  // namespace cupola
