// Body of kernels that order the elements of rows.

#include <fmt/format.h>

#include "codegen/cuda_names.h"
#include "codegen/cuda_text_body.h"
#include "codegen/cuda_text_steps.h"

namespace cupola {
namespace {

// A function of an element that gives step `value`.
std::string step_text(const KernelPlan& plan, std::string_view indent, std::string_view type,
                      std::string_view name, int value) {
  const std::string steps = cuda_steps_below(plan, value, std::string(indent) + "  ");
  return fmt::format(
      "{0}CUPOLA_KERNEL_FN {1} {2}(const Arguments& p, const Uniform& u, const Element& x,\n"
      "{0}                         Flat i) {{\n{3}{0}  return v{4};\n{0}}}\n",
      indent, type, name, steps, value);
}

std::string output_text(const KernelPlan& plan, std::size_t i) {
  const OutputSpec& output = plan.outputs[i];
  const std::string_view type = cuda_type(output.operand.dtype);
  return fmt::format(
      "  struct Output{0} {{\n    using Type = {1};\n    static constexpr bool kIsKey = {2};\n"
      "{3}    CUPOLA_KERNEL_FN Type* place(const Arguments& p) {{ return p.out{0}; }}\n  }};\n",
      i, type, output.value == output.offset, step_text(plan, "    ", type, "value", output.value));
}

}  // namespace

std::string cuda_order_body(const KernelPlan& plan, const CudaTraits& traits) {
  const int offset = plan.outputs[0].offset;
  const DType dtype = plan.steps[static_cast<std::size_t>(offset)].dtype;
  std::string text = fmt::format("  static constexpr int kItems = {};\n", traits.items);
  if (traits.way == MapWay::sorted) text += fmt::format("  using Key = {};\n", cuda_type(dtype));
  text +=
      step_text(plan, "  ", cuda_type(dtype), traits.way == MapWay::sorted ? "key" : "bin", offset);
  std::string visits;
  std::size_t largest = 1;
  bool has_key = false;
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
    text += output_text(plan, i);
    visits += fmt::format("    tile.template store<Output{}>();\n", i);
    largest = std::max(largest, item_size(plan.outputs[i].operand.dtype));
    has_key = has_key || plan.outputs[i].value == offset;
  }
  return text + fmt::format(
                    "  static constexpr unsigned int kLargest = {};  // bytes of an output\n"
                    "  static constexpr bool kHasKey = {};\n"
                    "  template <class Tile>\n"
                    "  CUPOLA_KERNEL_FN void store_outputs(const Tile& tile) {{\n{}  }}\n",
                    largest, has_key, visits);
}

}  // namespace cupola
