#include "codegen/cuda/plan_facts.h"

#include <algorithm>

#include "graph/user_function.h"

namespace cupola {
namespace {

int add_width(ElementWidths& widths, DType dtype) {
  const int bytes = static_cast<int>(item_size(dtype));
  widths.smallest = std::min(widths.smallest, bytes);
  widths.largest = std::max(widths.largest, bytes);
  return bytes;
}

bool is_loaded_by_element(const KernelPlan& plan, std::size_t input) {
  return is_loaded(plan, input) && plan.inputs[input].layout != OperandLayout::broadcast;
}

}  // namespace

bool is_plain(const OutputSpec& output) { return output.store == StoreKind::plain; }

bool is_reorderable(const KernelPlan& plan) {
  const CombineSpec& combine = *plan.combine();
  return combine.function > 0 || ufunc_info(combine.ufunc).reorderable;
}

bool is_wide(const OperandSpec& operand) {
  return operand.layout == OperandLayout::contiguous && operand.aligned16;
}

bool is_loaded(const KernelPlan& plan, std::size_t input) {
  return std::any_of(plan.steps.begin(), plan.steps.end(), [input](const Step& step) {
    return step.kind == StepKind::load && step.index == input;
  });
}

bool loads_by_packs(const KernelPlan& plan) {
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    if (is_loaded_by_element(plan, i) && !is_wide(plan.inputs[i])) return false;
  }
  return true;
}

bool goes_by_packs(const KernelPlan& plan) {
  return loads_by_packs(plan) &&
         std::all_of(plan.outputs.begin(), plan.outputs.end(), [](const OutputSpec& output) {
           return is_plain(output) && is_wide(output.operand);
         });
}

bool has_turns(const KernelPlan& plan) {
  return std::any_of(plan.inputs.begin(), plan.inputs.end(),
                     [](const OperandSpec& input) { return input.turned != 0; });
}

bool has_long_steps(const KernelPlan& plan) {
  if (plan.steps.size() > 24) return true;
  return std::any_of(plan.steps.begin(), plan.steps.end(),
                     [](const Step& step) {
                       return step.kind == StepKind::ufunc &&
                              (!is_cheap(step.ufunc) || is_complex(step.dtype));
                     }) ||
         std::any_of(plan.calls.begin(), plan.calls.end(),
                     [](const UserStep& call) { return !call.function->is_short; });
}

bool has_contiguous_operands(const KernelPlan& plan) {
  const auto lies_in_order = [](const OperandSpec& operand) {
    return operand.layout == OperandLayout::contiguous;
  };
  return std::any_of(plan.inputs.begin(), plan.inputs.end(), lies_in_order) ||
         std::any_of(plan.outputs.begin(), plan.outputs.end(),
                     [&](const OutputSpec& output) { return lies_in_order(output.operand); });
}

OperandLayout effective_layout(const KernelPlan& plan, std::size_t input) {
  const OperandLayout layout = plan.inputs[input].layout;
  const bool by_strides =
      plan.kind() == PlanKind::segment_reduce && layout == OperandLayout::contiguous;
  return by_strides ? OperandLayout::strided : layout;
}

ElementWidths widths_of_inputs(const KernelPlan& plan) {
  ElementWidths widths;
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    if (is_loaded_by_element(plan, i)) widths.read += add_width(widths, plan.inputs[i].dtype);
  }
  return widths;
}

ElementWidths widths_of(const KernelPlan& plan) {
  ElementWidths widths = widths_of_inputs(plan);
  for (const OutputSpec& output : plan.outputs) add_width(widths, output.operand.dtype);
  return widths;
}

}  // namespace cupola
