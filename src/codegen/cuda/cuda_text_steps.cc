#include "codegen/cuda/cuda_text_steps.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/text.h"
#include "codegen/cuda/cuda_names.h"
#include "codegen/steps_below.h"
#include "cupola/error.h"
#include "graph/user_function.h"

namespace cupola {
namespace {

const UfuncLoop& loop_for(const UfuncInfo& info, std::span<const DType> types) {
  for (const UfuncLoop& loop : info.loops) {
    bool same = types.size() == loop.input_count;
    for (std::size_t i = 0; same && i < types.size(); ++i) {
      same = loop.input(static_cast<int>(i)) == types[i];
    }
    if (same) return loop;
  }
  std::string names;
  for (const DType type : types) names += fmt::format(" {}", name_of(type));
  throw CompileError(fmt::format("{} has no loop for{}", info.name, names));
}

// Division of floats, of which float16 keeps less than half, takes three times the instructions.
bool divides_halves(UfuncId id, std::span<const DType> types, DType result) {
  return id == UfuncId::divide && result == DType::float16 && types[0] == DType::float16 &&
         types[1] == DType::float16;
}

std::string value_name(int step) { return fmt::format("v{}", step); }

std::string load_text(const KernelPlan& plan, const Step& step) {
  const bool uniform = plan.inputs[step.index].layout == OperandLayout::broadcast;
  return fmt::format("{}.in{}", uniform ? "u" : "x", step.index);
}

std::string ufunc_text(const KernelPlan& plan, const Step& step, std::string_view name) {
  const UfuncInfo& info = ufunc_info(step.ufunc);
  std::vector<DType> types;
  std::vector<std::string> arguments;
  for (int i = 0; i < info.input_count; ++i) {
    const int argument = step.args[static_cast<std::size_t>(i)];
    types.push_back(plan.steps[static_cast<std::size_t>(argument)].dtype);
    arguments.push_back(value_name(argument));
  }
  return cuda_ufunc(step.ufunc, step.index, types, arguments, step.dtype, name);
}

std::string call_text(const KernelPlan& plan, const Step& step) {
  const UserStep& call = plan.calls[step.index];
  std::vector<std::string> names;
  for (const std::int16_t argument : call.args) names.push_back(value_name(argument));
  return fmt::format("{}({}).r{}", call.function->call, joined(names, ", "), call.result);
}

// The value of a step that is one expression.
std::string expression(const KernelPlan& plan, const Step& step) {
  const auto argument = [&step](std::size_t i) { return value_name(step.args[i]); };
  switch (step.kind) {
    case StepKind::load:
      return load_text(plan, step);
    case StepKind::scalar:
      return fmt::format("p.scalar{}", step.index);
    case StepKind::index:
      return "static_cast<long long>(i)";
    case StepKind::rank:
      return "rank";
    case StepKind::cast:
      return fmt::format("cast<{}>({})", cuda_type(step.dtype), argument(0));
    case StepKind::select:
      return fmt::format("{} ? {} : {}", argument(0), argument(1), argument(2));
    case StepKind::gather:
      return fmt::format("p.in{}[{}]", step.index, argument(0));
    case StepKind::user:
      return call_text(plan, step);
    case StepKind::ufunc:
    case StepKind::combine:
      break;
  }
  __builtin_unreachable();
}

}  // namespace

std::string cuda_ufunc(UfuncId id, int output, std::span<const DType> types,
                       std::span<const std::string> arguments, DType result,
                       std::string_view target) {
  const UfuncInfo& info = ufunc_info(id);
  loop_for(info, types);
  std::string text = "{ ";
  for (std::size_t i = 0; i < types.size(); ++i) {
    const bool widen = is_half(types[i]) && !info.raw_halves;
    text += fmt::format("const {} {} = ", widen ? "float" : cuda_type(types[i]), "abc"[i]);
    text +=
        widen ? fmt::format("cast<float>({}); ", arguments[i]) : fmt::format("{}; ", arguments[i]);
  }
  return text + fmt::format("{} = cast<{}>({}); }}", target, cuda_type(result),
                            divides_halves(id, types, result)
                                ? "divide_halves(a, b)"
                                : info.expressions[static_cast<std::size_t>(output)]);
}

std::string cuda_combination(const KernelPlan& plan, const CombineSpec& combine,
                             const std::string& first, const std::string& second,
                             std::string_view target) {
  if (const UserFunction* function = combining_function(plan, combine.function)) {
    return fmt::format("{} = {}({}, {}).r0;", target, function->call, first, second);
  }
  const std::array<DType, 2> types{combine.accumulator, combine.accumulator};
  const std::array<std::string, 2> names{first, second};
  return cuda_ufunc(combine.ufunc, 0, types, names, combine.accumulator, target);
}

std::string cuda_step(const KernelPlan& plan, int number, std::string_view indent) {
  const Step& step = plan.steps[static_cast<std::size_t>(number)];
  const std::string name = value_name(number);
  if (step.kind == StepKind::ufunc) {
    return fmt::format("{}{} {};\n{}{}\n", indent, cuda_type(step.dtype), name, indent,
                       ufunc_text(plan, step, name));
  }
  return fmt::format("{}const {} {} = {};\n", indent, cuda_type(step.dtype), name,
                     expression(plan, step));
}

std::string cuda_steps(const KernelPlan& plan, std::string_view indent) {
  std::string text;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    text += cuda_step(plan, static_cast<int>(i), indent);
  }
  return text;
}

std::string cuda_steps_below(const KernelPlan& plan, int value, std::string_view indent) {
  std::string text;
  for (const int step : steps_below(plan, value)) text += cuda_step(plan, step, indent);
  return text;
}

}  // namespace cupola
