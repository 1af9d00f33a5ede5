// Body of reductions and scans.

#include <fmt/format.h>

#include "codegen/cuda/cuda_names.h"
#include "codegen/cuda/cuda_text_body.h"
#include "codegen/cuda/cuda_text_steps.h"

namespace cupola {
namespace {

bool is_strided(const KernelPlan& plan, std::size_t input) {
  return is_loaded(plan, input) && effective_layout(plan, input) == OperandLayout::strided;
}

// The step whose value is combined.
const Step& combined(const KernelPlan& plan) {
  return plan.steps[static_cast<std::size_t>(plan.outputs[0].value)];
}

std::vector<StridedOperand> strided_inputs(const KernelPlan& plan) {
  std::vector<StridedOperand> operands;
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    if (is_strided(plan, i)) operands.push_back({fmt::format("in{}", i)});
  }
  return operands;
}

bool output_is_strided(const KernelPlan& plan) {
  return plan.outputs[0].operand.layout == OperandLayout::strided;
}

// Where each strided operand's part of a row begins.
std::string row_text(const KernelPlan& plan, const CudaTraits& traits) {
  auto operands = strided_inputs(plan);
  if (plan.kind == PlanKind::scan && output_is_strided(plan)) operands.push_back({"out0"});
  std::string members, zeros;
  for (const StridedOperand& operand : operands) {
    members += fmt::format("    Index {};\n", operand.name);
    zeros += fmt::format("    row.{} = 0;\n", operand.name);
  }
  return fmt::format(
      "  struct Row {{\n{}  }};\n"
      "  CUPOLA_KERNEL_FN Row row(const Arguments& p, Flat kept) {{\n"
      "    Row row;\n{}{}    return row;\n  }}\n",
      members, zeros, cuda_offsets(operands, "kept", 0, traits.kept_rank, "row.", "    "));
}

// load(): the inputs at element r of a row.
std::string load_text(const KernelPlan& plan, const CudaTraits& traits) {
  const auto strided = strided_inputs(plan);
  std::string text =
      "  CUPOLA_KERNEL_FN Element load(const Arguments& p, const Row& row, Flat flat, Flat r) {\n"
      "    Element x;\n";
  for (const StridedOperand& operand : strided) {
    text += fmt::format("    Index offset_{0} = row.{0};\n", operand.name);
  }
  text += cuda_offsets(strided, "r", traits.kept_rank, plan.rank, "offset_", "    ");
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    if (!is_loaded(plan, i) || plan.inputs[i].layout == OperandLayout::broadcast) continue;
    text += is_strided(plan, i) ? fmt::format("    x.in{0} = p.in{0}[offset_in{0}];\n", i)
                                : fmt::format("    x.in{0} = p.in{0}[flat];\n", i);
  }
  return text + "    return x;\n  }\n";
}

std::string order_text(const KernelPlan& plan) {
  const DType value = combined(plan).dtype;
  const std::array<DType, 2> types{value, value};
  const std::array<std::string, 2> names{"first", "second"};
  const UfuncId before = plan.combine == UfuncId::maximum ? UfuncId::greater : UfuncId::less;
  const std::string is_nan = is_inexact(value)
                                 ? cuda_ufunc(UfuncId::isnan, 0, std::span(types).first(1),
                                              std::span(names).first(1), DType::bool_, "result")
                                 : "result = false;";
  return fmt::format(
      "  struct Order {{\n"
      "    CUPOLA_KERNEL_FN bool is_nan({0} first) {{\n      bool result;\n      {1}\n"
      "      return result;\n    }}\n"
      "    CUPOLA_KERNEL_FN bool before({0} first, {0} second) {{\n      bool result;\n"
      "      {2}\n      return result;\n    }}\n  }};\n",
      cuda_type(value), is_nan, cuda_ufunc(before, 0, types, names, DType::bool_, "result"));
}

// State, combine() and state(), which makes a State of the last step's value.
std::string state_text(const KernelPlan& plan) {
  const bool is_search = plan.kind == PlanKind::arg_reduce;
  const int unroll = has_long_steps(plan) ? 1 : is_search ? 3 : 4;  // as measured
  if (is_search) {
    return order_text(plan) +
           fmt::format(
               "  using State = Candidate<{}, Flat>;\n"
               "  static constexpr int kUnroll = {};\n"
               "  CUPOLA_KERNEL_FN State combine(const State& first, const State& second) {{\n"
               "    return better<Order>(first, second);\n  }}\n"
               "  CUPOLA_KERNEL_FN State append(const State& first, const State& second) {{\n"
               "    return better_later<Order>(first, second);\n  }}\n",
               cuda_type(combined(plan).dtype), unroll);
  }
  return fmt::format(
      "  using State = {};\n"
      "  static constexpr int kUnroll = {};\n"
      "  CUPOLA_KERNEL_FN State combine(State first, State second) {{\n"
      "    State result;\n    {}\n    return result;\n  }}\n"
      "  CUPOLA_KERNEL_FN State append(State first, State second) {{\n"
      "    return combine(first, second);\n  }}\n",
      cuda_type(plan.accumulator), unroll,
      cuda_combination(plan, plan.combine, plan.combine_index, plan.accumulator, "first", "second",
                       "result"));
}

std::string element_text(const KernelPlan& plan) {
  const std::string value = fmt::format("v{}", plan.outputs[0].value);
  const std::string state = plan.kind == PlanKind::arg_reduce
                                ? fmt::format("State{{{}, r}}", value)
                                : fmt::format("cast<State>({})", value);
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

// What becomes of the combined `value`.
std::string finish_steps(const KernelPlan& finish, const std::string& value) {
  std::string combined;
  if (!finish.inputs.empty()) {
    const std::string_view type = cuda_type(finish.inputs[0].dtype);
    combined =
        fmt::format("    struct {{ {} in0; }} x;\n    x.in0 = cast<{}>({});\n", type, type, value);
  }
  return combined + cuda_steps(finish, "    ");
}

// finish(): stores the result of a row, cast to the output's type.
std::string finish_text(const KernelPlan& plan, const CudaTraits& traits) {
  std::string value = "state";
  if (plan.kind == PlanKind::arg_reduce) value = "static_cast<long long>(state.position)";
  if (plan.kind == PlanKind::reduce &&
      starts_from_zero(plan.combine, plan.combine_index, plan.accumulator)) {
    value = "combine(State{}, state)";
  }
  const int dimensions = plan.kind == PlanKind::segment_reduce ? plan.rank : traits.kept_rank;
  const bool strided = output_is_strided(plan);
  std::string offset;
  if (strided) {
    offset = "    Index offset_out0 = 0;\n" +
             cuda_offsets({{"out0"}}, "number", 0, dimensions, "offset_", "    ");
  }
  const std::string_view type = cuda_type(plan.outputs[0].operand.dtype);
  std::string steps;
  if (!plan.finish.empty()) {
    const KernelPlan finish = finish_plan(plan);
    steps = finish_steps(finish, value);
    value = fmt::format("v{}", plan.finish_value);
  }
  return fmt::format(
      "  CUPOLA_KERNEL_FN void finish(const Arguments& p, Flat number, const State& state) {{\n"
      "{}{}    const {} result = cast<{}>({});\n    p.out0[{}] = result;\n"
      "    if (p.header.mirror) *static_cast<{}*>(p.header.mirror) = result;\n  }}\n",
      offset, steps, type, type, value, strided ? "offset_out0" : "number", type);
}

// put(): stores the prefix that ends at element r.
std::string prefix_text(const KernelPlan& plan) {
  const bool strided = output_is_strided(plan);
  const std::string place =
      strided ? fmt::format("row.out0 + static_cast<Index>(r) * p.stride_out0_{}", plan.rank - 1)
              : "kept * static_cast<Flat>(p.header.length) + r";
  return fmt::format(
      "  CUPOLA_KERNEL_FN void put(const Arguments& p, const Row& row, Flat kept, Flat r,\n"
      "                            const State& state) {{\n"
      "    p.out0[{}] = cast<{}>(state);\n  }}\n",
      place, cuda_type(plan.outputs[0].operand.dtype));
}

// put_quad(): the prefixes that end at element r and the three behind it.
std::string prefix_quad_text(const KernelPlan& plan) {
  const OperandSpec& output = plan.outputs[0].operand;
  const std::string single =
      "#pragma unroll\n"
      "    for (int j = 0; j < 4; ++j) put(p, row, kept, r + j, states[j]);\n";
  std::string wide;
  if (output.layout == OperandLayout::contiguous && output.aligned16) {
    const std::string_view type = cuda_type(output.dtype);
    wide = fmt::format(
        "    if constexpr (Packed) {{\n"
        "      Vector<{0}, 4> four;\n"
        "#pragma unroll\n"
        "      for (int j = 0; j < 4; ++j) four.at[j] = cast<{0}>(states[j]);\n"
        "      const Flat flat = kept * static_cast<Flat>(p.header.length) + r;\n"
        "      store_vector<4>(p.out0, flat / 4, four);\n"
        "      return;\n    }}\n",
        type);
  }
  return "  template <bool Packed>\n"
         "  CUPOLA_KERNEL_FN void put_quad(const Arguments& p, const Row& row, Flat kept, Flat r,\n"
         "                                 const State (&states)[4]) {\n" +
         wide + single + "  }\n";
}

std::string bounds_text(const KernelPlan& plan) {
  const std::size_t count = plan.inputs.size();
  return fmt::format(
      "  CUPOLA_KERNEL_FN long long first(const Arguments& p, Flat s) {{ return p.in{}[s]; }}\n"
      "  CUPOLA_KERNEL_FN long long last(const Arguments& p, Flat s) {{ return p.in{}[s]; }}\n",
      count - 2, count - 1);
}

}  // namespace

std::string cuda_row_body(const KernelPlan& plan, const CudaTraits& traits) {
  std::string text = row_text(plan, traits) + load_text(plan, traits) + state_text(plan) +
                     element_text(plan) + quad_text(plan);
  if (plan.kind == PlanKind::scan) {
    text += prefix_text(plan) + prefix_quad_text(plan);
  } else {
    text += finish_text(plan, traits);
  }
  if (plan.kind == PlanKind::segment_reduce) text += bounds_text(plan);
  return text;
}

}  // namespace cupola
