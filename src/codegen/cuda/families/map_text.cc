#include "codegen/cuda/families/map_text.h"

#include <fmt/format.h>

#include "codegen/cuda/cuda_names.h"
#include "codegen/cuda/cuda_text_steps.h"
#include "codegen/cuda/operand_offsets.h"
#include "codegen/cuda/plan_facts.h"

namespace cupola {
namespace {

std::vector<StridedOperand> strided_inputs(const KernelPlan& plan) {
  std::vector<StridedOperand> operands;
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    if (is_loaded(plan, i) && plan.inputs[i].layout == OperandLayout::strided) {
      operands.push_back({fmt::format("in{}", i), plan.inputs[i].turned});
    }
  }
  return operands;
}

std::vector<StridedOperand> strided_outputs(const KernelPlan& plan) {
  std::vector<StridedOperand> operands;
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
    if (plan.outputs[i].operand.layout == OperandLayout::strided && is_plain(plan.outputs[i])) {
      operands.push_back({fmt::format("out{}", i)});
    }
  }
  return operands;
}

std::string offset_variables(const std::vector<StridedOperand>& operands) {
  std::string text;
  for (const StridedOperand& operand : operands) {
    text += fmt::format("    Index offset_{} = 0;\n", operand.name);
  }
  return text;
}

// Where a plain operand's element `i` lies.
std::string place(OperandLayout layout, const std::string& name) {
  switch (layout) {
    case OperandLayout::contiguous:
      return fmt::format("p.{}[i]", name);
    case OperandLayout::strided:
      return fmt::format("p.{0}[offset_{0}]", name);
    case OperandLayout::broadcast:
    case OperandLayout::indexed:
      return fmt::format("*p.{}", name);
  }
  __builtin_unreachable();
}

// Where input `i` lies behind the place `first`, for contiguous ones that are read `far` from it.
std::string load_members(const KernelPlan& plan, bool by_distance) {
  const auto strided = strided_inputs(plan);
  std::string text = "    Element x;\n" + offset_variables(strided) +
                     cuda_offsets(strided, "i", 0, plan.rank, "offset_", "    ");
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    const OperandLayout layout = plan.inputs[i].layout;
    if (!is_loaded(plan, i) || layout == OperandLayout::broadcast) continue;
    const std::string name = fmt::format("in{}", i);
    const bool is_near = by_distance && layout == OperandLayout::contiguous;
    text += fmt::format("    x.{} = {};\n", name,
                        is_near ? fmt::format("(p.{} + first)[far]", name) : place(layout, name));
  }
  return text + "    return x;\n  }\n";
}

}  // namespace

std::string map_load_text(const KernelPlan& plan) {
  return "  CUPOLA_KERNEL_FN Element load(const Arguments& p, Flat i) {\n" +
         load_members(plan, false);
}

std::string map_far_load_text(const KernelPlan& plan) {
  return "  CUPOLA_KERNEL_FN Element load(const Arguments& p, Flat first, unsigned int far = 0) {\n"
         "    const Flat i = first + far;\n" +
         load_members(plan, true);
}

std::string map_compute_text(const KernelPlan& plan) {
  std::string members, results;
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
    const OutputSpec& output = plan.outputs[i];
    members += fmt::format("    {} out{};\n", cuda_type(output.operand.dtype), i);
    results += fmt::format("    y.out{} = v{};\n", i, output.value);
    if (output.store == StoreKind::plain) continue;
    members += fmt::format("    long long offset{0};\n    bool wanted{0};\n", i);
    results += fmt::format("    y.offset{0} = v{1};\n    y.wanted{0} = {2};\n", i, output.offset,
                           output.predicate < 0 ? "true" : fmt::format("v{}", output.predicate));
  }
  return fmt::format(
      "  struct Result {{\n{}  }};\n"
      "  CUPOLA_KERNEL_FN Result compute(const Arguments& p, const Uniform& u,\n"
      "                                  const Element& x, Flat i) {{\n"
      "{}    Result y;\n{}    return y;\n  }}\n",
      members, cuda_steps(plan, "    "), results);
}

std::string plain_store(const KernelPlan& plan, std::size_t output) {
  const std::string name = fmt::format("out{}", output);
  return fmt::format("    {} = y.{};\n", place(plan.outputs[output].operand.layout, name), name);
}

std::string map_store_text(const KernelPlan& plan, std::string_view stores) {
  const auto strided = strided_outputs(plan);
  return fmt::format(
      "  CUPOLA_KERNEL_FN void store_others(const Arguments& p, Flat i, const Result& y) {{\n"
      "{}{}{}  }}\n"
      "  CUPOLA_KERNEL_FN void put(const Arguments& p, const Uniform& u, Flat i,\n"
      "                            const Element& x) {{\n"
      "    store_others(p, i, compute(p, u, x, i));\n  }}\n",
      offset_variables(strided), cuda_offsets(strided, "i", 0, plan.rank, "offset_", "    "),
      stores);
}

std::string plain_map_text(const KernelPlan& plan) {
  std::string stores;
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) stores += plain_store(plan, i);
  return map_load_text(plan) + map_compute_text(plan) + map_store_text(plan, stores);
}

std::string packs_text(const KernelPlan& plan, int pack) {
  std::string members, loads, spread;
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    if (!is_loaded(plan, i) || plan.inputs[i].layout == OperandLayout::broadcast) continue;
    members += fmt::format("    Vector<{}, kPack> in{};\n", cuda_type(plan.inputs[i].dtype), i);
    loads += fmt::format("    x.in{0} = load_vector<kPack>(p.in{0}, pack);\n", i);
    spread += fmt::format("    element.in{0} = x.in{0}.at[e];\n", i);
  }
  return fmt::format(
      "  static constexpr int kPack = {};\n"
      "  struct Pack {{\n{}  }};\n"
      "  CUPOLA_KERNEL_FN Pack load_pack(const Arguments& p, Flat pack) {{\n"
      "    Pack x;\n{}    return x;\n  }}\n"
      "  CUPOLA_KERNEL_FN Element one(const Pack& x, int e) {{\n"
      "    Element element;\n{}    return element;\n  }}\n",
      pack, members, loads, spread);
}

}  // namespace cupola
