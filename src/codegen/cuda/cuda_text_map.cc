// Body of map kernels.

#include <fmt/format.h>

#include "codegen/cuda/cuda_names.h"
#include "codegen/cuda/cuda_text_body.h"
#include "codegen/cuda/cuda_text_steps.h"

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
    if (plan.outputs[i].operand.layout == OperandLayout::strided &&
        plan.outputs[i].store == StoreKind::plain) {
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

std::string load_text(const KernelPlan& plan) {
  const auto strided = strided_inputs(plan);
  const bool has_neighbours = orders_rows(plan.outputs[0].store);
  std::string text = "  CUPOLA_KERNEL_FN Element load(const Arguments& p, Flat i) {\n";
  if (has_neighbours) {
    // `far` is known to the compiler: it is part of the instruction.
    text =
        "  CUPOLA_KERNEL_FN Element load(const Arguments& p, Flat first, unsigned int far = 0) {\n"
        "    const Flat i = first + far;\n";
  }
  text += "    Element x;\n";
  text += offset_variables(strided);
  text += cuda_offsets(strided, "i", 0, plan.rank, "offset_", "    ");
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    const OperandLayout layout = plan.inputs[i].layout;
    if (!is_loaded(plan, i) || layout == OperandLayout::broadcast) continue;
    const std::string name = fmt::format("in{}", i);
    const bool is_near = has_neighbours && layout == OperandLayout::contiguous;
    text += fmt::format("    x.{} = {};\n", name,
                        is_near ? fmt::format("(p.{} + first)[far]", name) : place(layout, name));
  }
  return text + "    return x;\n  }\n";
}

// The values of one element that are stored, and where, if that is computed.
std::string compute_text(const KernelPlan& plan) {
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

// struct CombineK with the combination of output k.
std::string combine_text(const KernelPlan& plan, std::size_t i) {
  const OutputSpec& output = plan.outputs[i];
  const DType dtype = output.operand.dtype;
  const std::array<DType, 2> types{dtype, dtype};
  const std::array<std::string, 2> names{"first", "second"};
  return fmt::format(
      "  struct Combine{0} {{\n    CUPOLA_KERNEL_FN {1} apply({1} first, {1} second) {{\n"
      "      {1} result;\n      {2}\n      return result;\n    }}\n  }};\n",
      i, cuda_type(dtype), cuda_ufunc(output.combine, 0, types, names, dtype, "result"));
}

bool adds_by_itself(const OutputSpec& output) {
  return output.combine == UfuncId::add && is_integer(output.operand.dtype) &&
         item_size(output.operand.dtype) >= 4;
}

std::string combine_store(const KernelPlan& plan, const CudaTraits& traits, std::size_t i) {
  if (traits.way == MapWay::in_order) {
    return fmt::format(
        "    if (y.wanted{0}) {{\n"
        "      p.out{0}[y.offset{0}] = Combine{0}::apply(p.out{0}[y.offset{0}], y.out{0});\n"
        "    }}\n",
        i);
  }
  if (adds_by_itself(plan.outputs[i])) {
    return fmt::format("    if (y.wanted{0}) atomic_add(p.out{0} + y.offset{0}, y.out{0});\n", i);
  }
  return fmt::format(
      "    if (y.wanted{0}) {{\n"
      "      atomic_combine<Combine{0}>(p.out{0} + y.offset{0}, y.out{0},\n"
      "                                 static_cast<unsigned int*>(p.header.scratch));\n"
      "    }}\n",
      i);
}

// store_others(): plain and combining outputs.
std::string store_text(const KernelPlan& plan, const CudaTraits& traits) {
  const auto strided = strided_outputs(plan);
  std::string combines;
  std::string text =
      "  CUPOLA_KERNEL_FN void store_others(const Arguments& p, Flat i, const Result& y) {\n";
  text += offset_variables(strided);
  text += cuda_offsets(strided, "i", 0, plan.rank, "offset_", "    ");
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
    const OutputSpec& output = plan.outputs[i];
    const std::string name = fmt::format("out{}", i);
    if (output.store == StoreKind::plain) {
      text += fmt::format("    {} = y.{};\n", place(output.operand.layout, name), name);
    } else if (output.store == StoreKind::combine) {
      combines += combine_text(plan, i);
      text += combine_store(plan, traits, i);
    }
  }
  return combines + text + "  }\n";
}

std::string put_text() {
  return "  CUPOLA_KERNEL_FN void put(const Arguments& p, const Uniform& u, Flat i,\n"
         "                            const Element& x) {\n"
         "    store_others(p, i, compute(p, u, x, i));\n  }\n";
}

std::string pack_text(const KernelPlan& plan, const CudaTraits& traits) {
  std::string packs, gather, stores;
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
    packs +=
        fmt::format("    Vector<{}, kPack> out{};\n", cuda_type(plan.outputs[i].operand.dtype), i);
    gather += fmt::format("      out{0}.at[e] = y.out{0};\n", i);
    stores += fmt::format("    store_vector<kPack>(p.out{0}, pack, out{0});\n", i);
  }
  return cuda_packs(plan, traits.pack) +
         fmt::format(
             "  CUPOLA_KERNEL_FN void put_pack(const Arguments& p, const Uniform& u, Flat pack,\n"
             "                                 const Pack& x) {{\n{}"
             "#pragma unroll\n"
             "    for (int e = 0; e < kPack; ++e) {{\n"
             "      const Result y = compute(p, u, one(x, e), pack * kPack + e);\n"
             "{}    }}\n{}  }}\n",
             packs, gather, stores);
}

std::string scatter_text(const CudaTraits& traits) {
  std::string targets, stores;
  for (std::size_t s = 0; s < traits.scatters.size(); ++s) {
    const int i = traits.scatters[s];
    targets += fmt::format("    if (s == {0}) return {{y.offset{1}, y.wanted{1}}};\n", s, i);
    stores += fmt::format("    if (s == {0}) p.out{1}[y.offset{1}] = y.out{1};\n", s, i);
  }
  return fmt::format(
      "  static constexpr int kScatters = {};\n"
      "  static constexpr unsigned int kLockBytes = {};\n"
      "  CUPOLA_KERNEL_FN ScatterTarget target(const Result& y, int s) {{\n{}"
      "    return {{0, false}};\n  }}\n"
      "  CUPOLA_KERNEL_FN void store_scattered(const Arguments& p, const Result& y, int s) {{\n"
      "{}  }}\n",
      traits.scatters.size(), traits.needs_locks ? "kLocks * 4" : "0", targets, stores);
}

}  // namespace

std::string cuda_packs(const KernelPlan& plan, int pack) {
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

std::string cuda_map_body(const KernelPlan& plan, const CudaTraits& traits) {
  if (traits.way == MapWay::masked) return load_text(plan) + cuda_mask_body(plan, traits);
  if (orders_rows(plan.outputs[0].store)) return load_text(plan) + cuda_order_body(plan, traits);
  if (traits.way == MapWay::tallied) return load_text(plan) + compute_text(plan);
  std::string text = load_text(plan) + compute_text(plan) + store_text(plan, traits) + put_text();
  if (traits.way == MapWay::packs) text += pack_text(plan, traits);
  if (traits.way == MapWay::elements) text += cuda_strided_body(plan, traits);
  if (traits.way == MapWay::scatter || traits.way == MapWay::in_order) {
    text += scatter_text(traits);
  }
  return text;
}

}  // namespace cupola
