// Body of kernels that count and number the elements for which a mask holds.

#include <fmt/format.h>

#include "codegen/cuda/cuda_names.h"
#include "codegen/cuda/cuda_text_body.h"
#include "codegen/cuda/cuda_text_steps.h"

namespace cupola {
namespace {

std::string holds_text(const KernelPlan& plan, int mask) {
  return fmt::format(
      "  CUPOLA_KERNEL_FN bool holds(const Arguments& p, const Uniform& u, const Element& x,\n"
      "                              Flat i) {{\n{}    return v{};\n  }}\n",
      cuda_steps_below(plan, mask, "    "), mask);
}

std::string count_text() {
  return "  CUPOLA_KERNEL_FN void put_count(const Arguments& p, Flat tile, long long count) {\n"
         "    p.out0[tile] = count;\n  }\n";
}

std::string ranked_text(const KernelPlan& plan) {
  const OutputSpec& output = plan.outputs[0];
  std::string offset, place = "rank";
  if (output.store == StoreKind::expand) {
    const bool strided = output.operand.layout == OperandLayout::strided;
    place = strided ? "offset_out0" : "i";
    if (strided) {
      offset = "    Index offset_out0 = 0;\n" +
               cuda_offsets({{"out0"}}, "i", 0, plan.rank, "offset_", "    ");
    }
  }
  return fmt::format(
      "  CUPOLA_KERNEL_FN const long long* ends(const Arguments& p) {{ return p.in{}; }}\n"
      "  CUPOLA_KERNEL_FN void put_ranked(const Arguments& p, const Uniform& u, Flat i,\n"
      "                                   const Element& x, long long rank) {{\n"
      "{}{}    p.out0[{}] = v{};\n  }}\n",
      plan.inputs.size() - 1, cuda_steps_below(plan, output.value, "    "), offset, place,
      output.value);
}

}  // namespace

std::string cuda_mask_body(const KernelPlan& plan, const CudaTraits& traits) {
  const OutputSpec& output = plan.outputs[0];
  if (output.store != StoreKind::count) {
    return holds_text(plan, output.predicate) + ranked_text(plan);
  }
  std::string text = holds_text(plan, output.value) + count_text();
  if (traits.pack > 1) text += cuda_packs(plan, traits.pack);
  return text;
}

}  // namespace cupola
