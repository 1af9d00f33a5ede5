#include "codegen/cuda/families/order_text.h"

#include <fmt/format.h>

#include "codegen/cuda/cuda_names.h"
#include "codegen/cuda/cuda_text_steps.h"

namespace cupola {
namespace {

std::string output_text(const KernelPlan& plan, std::size_t i, bool says_key) {
  const OutputSpec& output = plan.outputs[i];
  const std::string_view type = cuda_type(output.operand.dtype);
  std::string text = fmt::format("  struct Output{} {{\n    using Type = {};\n", i, type);
  if (says_key) {
    text += fmt::format("    static constexpr bool kIsKey = {};\n", output.value == output.offset);
  }
  return text + step_function(plan, "    ", type, "value", output.value) +
         fmt::format(
             "    CUPOLA_KERNEL_FN Type* place(const Arguments& p) {{ return p.out{}; }}\n"
             "  }};\n",
             i);
}

}  // namespace

std::string step_function(const KernelPlan& plan, std::string_view indent, std::string_view type,
                          std::string_view name, int value) {
  const std::string steps = cuda_steps_below(plan, value, std::string(indent) + "  ");
  return fmt::format(
      "{0}CUPOLA_KERNEL_FN {1} {2}(const Arguments& p, const Uniform& u, const Element& x,\n"
      "{0}                         Flat i) {{\n{3}{0}  return v{4};\n{0}}}\n",
      indent, type, name, steps, value);
}

std::string ordered_outputs_text(const KernelPlan& plan, bool says_keys) {
  std::string text, stores;
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
    text += output_text(plan, i, says_keys);
    stores += fmt::format("    tile.template store<Output{}>();\n", i);
  }
  return text + fmt::format(
                    "  template <class Tile>\n"
                    "  CUPOLA_KERNEL_FN void store_outputs(const Tile& tile) {{\n{}  }}\n",
                    stores);
}

}  // namespace cupola
