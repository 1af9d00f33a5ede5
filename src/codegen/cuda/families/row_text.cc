#include "codegen/cuda/families/row_text.h"

#include <fmt/format.h>

#include "codegen/cuda/cuda_names.h"
#include "codegen/cuda/cuda_text_steps.h"
#include "codegen/cuda/plan_facts.h"

namespace cupola {
namespace {

bool is_strided(const KernelPlan& plan, std::size_t input) {
  return is_loaded(plan, input) && effective_layout(plan, input) == OperandLayout::strided;
}

std::vector<StridedOperand> strided_inputs(const KernelPlan& plan) {
  std::vector<StridedOperand> operands;
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    if (is_strided(plan, i)) operands.push_back({fmt::format("in{}", i)});
  }
  return operands;
}

// Where each strided operand's part of a row begins.
std::string walk_text(const KernelPlan& plan, bool walks_output) {
  auto operands = strided_inputs(plan);
  if (walks_output) operands.push_back({"out0"});
  return row_struct_text(plan, operands, "", "");
}

// load(): the inputs at element r of a row.
std::string load_text(const KernelPlan& plan) {
  const auto strided = strided_inputs(plan);
  std::string text =
      "  CUPOLA_KERNEL_FN Element load(const Arguments& p, const Row& row, Flat flat, Flat r) {\n"
      "    Element x;\n";
  for (const StridedOperand& operand : strided) {
    text += fmt::format("    Index offset_{0} = row.{0};\n", operand.name);
  }
  text += cuda_offsets(strided, "r", kept_rank(plan), plan.rank, "offset_", "    ");
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    if (!is_loaded(plan, i) || plan.inputs[i].layout == OperandLayout::broadcast) continue;
    text += is_strided(plan, i) ? fmt::format("    x.in{0} = p.in{0}[offset_in{0}];\n", i)
                                : fmt::format("    x.in{0} = p.in{0}[flat];\n", i);
  }
  return text + "    return x;\n  }\n";
}

std::string element_text(const KernelPlan& plan, std::string_view state) {
  return fmt::format(
      "  CUPOLA_KERNEL_FN State state(const Arguments& p, const Uniform& u, const Element& x,\n"
      "                              Flat i, Flat r) {{\n{}    return {};\n  }}\n"
      "  CUPOLA_KERNEL_FN State at(const Arguments& p, const Uniform& u, const Row& row,\n"
      "                           Flat kept, Flat r) {{\n"
      "    const Flat flat = kept * static_cast<Flat>(p.header.length) + r;\n"
      "    return state(p, u, load(p, row, flat, r), flat, r);\n  }}\n",
      cuda_steps(plan, "    "), state);
}

std::string quad_text(const KernelPlan& plan) {
  std::string wide;
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    if (is_loaded(plan, i) && plan.inputs[i].aligned16 &&
        effective_layout(plan, i) == OperandLayout::contiguous) {
      wide += fmt::format(
          "      const auto four{0} = load_vector<4>(p.in{0}, flat / 4);\n"
          "#pragma unroll\n"
          "      for (int j = 0; j < 4; ++j) x[j].in{0} = four{0}.at[j];\n",
          i);
    }
  }
  std::string rest;
  if (!wide.empty()) rest = fmt::format("    if constexpr (Packed) {{\n{}    }}\n", wide);
  return fmt::format(
      "  template <bool Packed>\n"
      "  CUPOLA_KERNEL_FN void quad(const Arguments& p, const Uniform& u, const Row& row,\n"
      "                             Flat kept, Flat r, State (&states)[4]) {{\n"
      "    const Flat flat = kept * static_cast<Flat>(p.header.length) + r;\n"
      "    Element x[4];\n"
      "#pragma unroll\n"
      "    for (int j = 0; j < 4; ++j) x[j] = load(p, row, flat + j, r + j);\n{}"
      "#pragma unroll\n"
      "    for (int j = 0; j < 4; ++j) states[j] = state(p, u, x[j], flat + j, r + j);\n  }}\n",
      rest);
}

}  // namespace

std::string row_struct_text(const KernelPlan& plan, const std::vector<StridedOperand>& operands,
                            std::string_view members, std::string_view statements) {
  std::string offsets, zeros;
  for (const StridedOperand& operand : operands) {
    offsets += fmt::format("    Index {};\n", operand.name);
    zeros += fmt::format("    row.{} = 0;\n", operand.name);
  }
  return fmt::format(
      "  struct Row {{\n{}{}  }};\n"
      "  CUPOLA_KERNEL_FN Row row(const Arguments& p, Flat kept) {{\n"
      "    Row row;\n{}{}{}    return row;\n  }}\n",
      members, offsets, zeros, statements,
      cuda_offsets(operands, "kept", 0, kept_rank(plan), "row.", "    "));
}

const Step& combined_step(const KernelPlan& plan) {
  return plan.steps[static_cast<std::size_t>(plan.outputs[0].value)];
}

bool output_is_strided(const KernelPlan& plan) {
  return plan.outputs[0].operand.layout == OperandLayout::strided;
}

RowState combining_state(const KernelPlan& plan) {
  std::string members = fmt::format(
      "  using State = {};\n"
      "  static constexpr int kUnroll = {};\n"
      "  CUPOLA_KERNEL_FN State combine(State first, State second) {{\n"
      "    State result;\n    {}\n    return result;\n  }}\n"
      "  CUPOLA_KERNEL_FN State append(State first, State second) {{\n"
      "    return combine(first, second);\n  }}\n",
      cuda_type(plan.combine()->accumulator), has_long_steps(plan) ? 1 : 4,
      cuda_combination(plan, *plan.combine(), "first", "second", "result"));
  return {std::move(members), fmt::format("cast<State>(v{})", plan.outputs[0].value)};
}

std::string row_text(const KernelPlan& plan, const RowState& state, bool walks_output) {
  return walk_text(plan, walks_output) + load_text(plan) + state.members +
         element_text(plan, state.made) + quad_text(plan);
}

std::string finish_text(const KernelPlan& plan, int dimensions, std::string_view steps,
                        std::string_view value) {
  const bool strided = output_is_strided(plan);
  std::string offset;
  if (strided) {
    offset = "    Index offset_out0 = 0;\n" +
             cuda_offsets({{"out0"}}, "number", 0, dimensions, "offset_", "    ");
  }
  const std::string_view type = cuda_type(plan.outputs[0].operand.dtype);
  return fmt::format(
      "  CUPOLA_KERNEL_FN void finish(const Arguments& p, Flat number, const State& state) {{\n"
      "{}{}    const {} result = cast<{}>({});\n    p.out0[{}] = result;\n"
      "    if (p.header.mirror) *static_cast<{}*>(p.header.mirror) = result;\n  }}\n",
      offset, steps, type, type, value, strided ? "offset_out0" : "number", type);
}

}  // namespace cupola
