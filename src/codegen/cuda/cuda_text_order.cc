// Body of kernels that order the elements of rows.

#include <fmt/format.h>

#include <algorithm>

#include "codegen/cuda/cuda_names.h"
#include "codegen/cuda/cuda_text_body.h"
#include "codegen/cuda/cuda_text_steps.h"

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

std::string output_text(const KernelPlan& plan, std::size_t i, bool sorted) {
  const OutputSpec& output = plan.outputs[i];
  const std::string_view type = cuda_type(output.operand.dtype);
  std::string text = fmt::format("  struct Output{} {{\n    using Type = {};\n", i, type);
  if (sorted) {
    text += fmt::format("    static constexpr bool kIsKey = {};\n", output.value == output.offset);
  }
  return text + step_text(plan, "    ", type, "value", output.value) +
         fmt::format(
             "    CUPOLA_KERNEL_FN Type* place(const Arguments& p) {{ return p.out{}; }}\n"
             "  }};\n",
             i);
}

std::string bin_text(const KernelPlan& plan, const CudaTraits& traits) {
  std::size_t largest = 1;
  for (const OutputSpec& output : plan.outputs) {
    largest = std::max(largest, item_size(output.operand.dtype));
  }
  return fmt::format(
             "  static constexpr int kItems = {};\n"
             "  static constexpr unsigned int kBinCount = {};\n"
             "  static constexpr unsigned int kLargest = {};  // bytes of an output\n",
             traits.items, plan.outputs[0].bins, largest) +
         step_text(plan, "  ", "unsigned char", "bin", plan.outputs[0].offset);
}

std::string key_text(const KernelPlan& plan) {
  const int key = plan.outputs[0].offset;
  const std::string_view type = cuda_type(plan.steps[static_cast<std::size_t>(key)].dtype);
  const bool stored = std::any_of(plan.outputs.begin(), plan.outputs.end(),
                                  [](const auto& output) { return output.value == output.offset; });
  return fmt::format("  using Key = {};\n  static constexpr bool kStoresKeys = {};\n", type,
                     stored) +
         step_text(plan, "  ", type, "key", key);
}

}  // namespace

std::string cuda_order_body(const KernelPlan& plan, const CudaTraits& traits) {
  const bool sorted = traits.way == MapWay::sorted;
  std::string text = sorted ? key_text(plan) : bin_text(plan, traits);
  std::string stores;
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
    text += output_text(plan, i, sorted);
    stores += fmt::format("    tile.template store<Output{}>();\n", i);
  }
  return text + fmt::format(
                    "  template <class Tile>\n"
                    "  CUPOLA_KERNEL_FN void store_outputs(const Tile& tile) {{\n{}  }}\n",
                    stores);
}

}  // namespace cupola
