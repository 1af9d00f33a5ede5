#include "codegen/cuda/cuda_text.h"

#include <fmt/format.h>

#include "base/mutant.h"
#include "codegen/cuda/cuda_arguments.h"
#include "codegen/cuda/cuda_headers.h"
#include "codegen/cuda/cuda_names.h"
#include "codegen/cuda/families/family.h"
#include "codegen/cuda/plan_facts.h"
#include "codegen/user/user_function.h"

namespace cupola {
namespace {

constexpr std::string_view kEntry = "cupola_kernel";

// Types and functions that every Body has: Flat, Index, Uniform, Element, uniform().
std::string common_body(const KernelPlan& plan) {
  std::string text = "  using Arguments = cupola_device::Arguments;\n";
  text += plan.wide_index ? "  using Flat = unsigned long long;\n  using Index = long long;\n"
                          : "  using Flat = unsigned int;\n  using Index = int;\n";
  std::string uniform, element, loads;
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    if (!is_loaded(plan, i)) continue;
    const std::string member = fmt::format("    {} in{};\n", cuda_type(plan.inputs[i].dtype), i);
    if (plan.inputs[i].layout == OperandLayout::broadcast) {
      uniform += member;
      loads += fmt::format("    u.in{0} = *p.in{0};\n", i);
    } else {
      element += member;
    }
  }
  text +=
      fmt::format("  struct Uniform {{\n{}  }};\n  struct Element {{\n{}  }};\n", uniform, element);
  text += fmt::format(
      "  CUPOLA_KERNEL_FN Uniform uniform(const Arguments& p) {{\n"
      "    Uniform u;\n{}    return u;\n  }}\n",
      loads);
  return text;
}

// The compiler keeps to registers that so many threads have; what holds many elements in each, and
// waits for memory and for other threads, needs some blocks on a multiprocessor at one time.
std::string launch_bounds(const CudaFamily& family, std::string_view suffix) {
  if (CUPOLA_MUTANT(fixed_blocks)) return "";
  const int blocks = family.blocks_at_once(suffix);
  if (blocks == 0) return fmt::format("__launch_bounds__({})", family.threads());
  return fmt::format("__launch_bounds__({}, {})", family.threads(), blocks);
}

// How the kernels of a kind are called, and what they hand on.
struct Signature {
  std::string_view name_end;
  std::string_view parameter;
  std::string_view arguments;  // one launch's
};

std::string kernel(const CudaFamily& family, std::string_view suffix, const Signature& signature) {
  return fmt::format(
      "extern \"C\" __global__ void {}\n"
      "{}{}{}(const __grid_constant__ {}) {{\n"
      "  using cupola_device::Body;\n"
      "  cupola_device::{}({});\n}}\n#endif\n",
      launch_bounds(family, suffix), kEntry, suffix, signature.name_end, signature.parameter,
      family.skeleton(suffix), signature.arguments);
}

// Each launch has blocks of its own along z.
std::string joined_kernels(const CudaFamily& family, std::size_t most) {
  std::string text;
  std::size_t number = family.kernels().size();
  for (const char* suffix : family.kernels()) {
    text += fmt::format(
        "#if defined(CUPOLA_KERNEL) && CUPOLA_KERNEL == {}\n"
        "struct cupola_launches {{ cupola_device::Arguments each[{}]; }};\n",
        number++, most);
    text += kernel(family, suffix, {"_joined", "cupola_launches all", "all.each[blockIdx.z]"});
  }
  return text;
}

std::string plan_text(const CudaFamily& family) {
  const KernelPlan& plan = family.plan();
  const CudaArguments arguments = cuda_arguments(family);
  std::string text = user_declarations(plan) + "namespace cupola_device {\n" +
                     cuda_arguments_text(plan, arguments) + "struct Body {\n" + common_body(plan) +
                     family.body() + "};\n}  // namespace cupola_device\n";
  int number = 0;
  for (const char* suffix : family.kernels()) {
    text += fmt::format("#if !defined(CUPOLA_KERNEL) || CUPOLA_KERNEL == {}\n", number++);
    text += kernel(family, suffix, {"", "cupola_device::Arguments p", "p"});
  }
  if (family.joins()) text += joined_kernels(family, joined_launches(arguments));
  return text + user_definitions(plan);
}

}  // namespace

std::string cuda_plan_text(const KernelPlan& plan) { return plan_text(*cuda_family(plan)); }

CudaCode cuda_code(const KernelPlan& plan) {
  const auto family = cuda_family(plan);
  std::vector<std::string_view> roots = cuda_math_headers(plan);
  for (const std::string_view header : user_headers(plan)) roots.push_back(header);
  roots.push_back(family->header());
  CudaCode code;
  code.key = plan_key(plan);
  code.plan = plan;
  code.text = cuda_header_text(roots) + plan_text(*family);
  code.entry = kEntry;
  return code;
}

}  // namespace cupola
