// The part of a map's Body for operands with strides: strips and tiles.

#include <fmt/format.h>

#include "codegen/cuda/cuda_names.h"
#include "codegen/cuda/families/strided_sizes.h"
#include "codegen/cuda/operand_offsets.h"
#include "codegen/cuda/plan_facts.h"

namespace cupola {
namespace {

struct Operand {
  std::string name;  // "in1", "out0"
  std::string type;
  OperandLayout layout;
  std::size_t number;
  std::uint32_t turned = 0;
};

// What is read once per element, and not for all at once.
std::vector<Operand> element_inputs(const KernelPlan& plan) {
  std::vector<Operand> operands;
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    const OperandSpec& input = plan.inputs[i];
    if (!is_loaded(plan, i) || input.layout == OperandLayout::broadcast) continue;
    operands.push_back({fmt::format("in{}", i), std::string(cuda_type(input.dtype)), input.layout,
                        i, input.turned});
  }
  return operands;
}

std::vector<Operand> outputs_of(const KernelPlan& plan) {
  std::vector<Operand> operands;
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
    const OperandSpec& output = plan.outputs[i].operand;
    operands.push_back(
        {fmt::format("out{}", i), std::string(cuda_type(output.dtype)), output.layout, i});
  }
  return operands;
}

std::vector<StridedOperand> strided(const std::vector<Operand>& operands) {
  std::vector<StridedOperand> result;
  for (const Operand& operand : operands) {
    if (operand.layout != OperandLayout::strided) continue;
    result.push_back({operand.name, operand.turned});
  }
  return result;
}

std::vector<StridedOperand> strided_operands(const KernelPlan& plan) {
  auto operands = strided(element_inputs(plan));
  for (auto& output : strided(outputs_of(plan))) operands.push_back(std::move(output));
  return operands;
}

std::string members(const std::vector<StridedOperand>& operands, std::string_view line) {
  std::string text;
  for (const StridedOperand& operand : operands) {
    text += fmt::format(fmt::runtime(line), operand.name);
  }
  return text;
}

std::string pack_members(const std::vector<Operand>& operands, std::string_view count) {
  std::string text;
  for (const Operand& operand : operands) {
    text += fmt::format("    Vector<{}, {}> {};\n", operand.type, count, operand.name);
  }
  return text;
}

// Computes `count` neighbours from the pack x into out0, out1, .., and stores these.
std::string compute_pack(const KernelPlan& plan, std::string_view count, std::string_view first,
                         const std::string& stores) {
  std::string spread, gather;
  for (const Operand& input : element_inputs(plan)) {
    spread += fmt::format("      one.{0} = x.{0}.at[e];\n", input.name);
  }
  const std::vector<Operand> outputs = outputs_of(plan);
  for (const Operand& output : outputs) {
    gather += fmt::format("      {0}.at[e] = y.{0};\n", output.name);
  }
  return fmt::format(
      "{}#pragma unroll\n"
      "    for (int e = 0; e < {}; ++e) {{\n"
      "      Element one;\n{}"
      "      const Result y = compute(p, u, one, {});\n{}    }}\n{}",
      pack_members(outputs, count), count, spread, first, gather, stores);
}

// The inputs whose elements are in two pieces along strips.
std::vector<StridedOperand> turned_along(const KernelPlan& plan) {
  std::vector<StridedOperand> operands = strided(element_inputs(plan));
  std::erase_if(operands, [&](const StridedOperand& operand) {
    return !is_turned_along(operand.turned, plan.rank - 1);
  });
  return operands;
}

// How many elements come before such an input's turn, from the first one of a strip on.
std::string turns_text(const KernelPlan& plan, const std::vector<StridedOperand>& turned) {
  if (turned.empty()) return {};
  const int last = plan.rank - 1;
  const std::string column = plan.rank == 1 ? "i" : fmt::format("p.extent{}.divisor - left", last);
  return fmt::format("    const Index column = static_cast<Index>({});\n", column) +
         members(turned,
                 fmt::format("    const Index before_{{0}} = p.turn_{{0}}_{} - column;\n", last));
}

std::string strip_text(const KernelPlan& plan) {
  const auto operands = strided_operands(plan);
  const bool one_row = operands.empty() || plan.rank == 1;
  std::string place = members(operands, "    Index offset_{0} = 0;\n");
  if (plan.rank == 1 && !has_turns(plan)) {
    place += members(operands, "    offset_{0} = static_cast<Index>(i) * p.stride_{0}_0;\n");
  } else {
    place += cuda_offsets(operands, "i", 0, plan.rank, "offset_", "    ");
  }
  // The compiler knows the quotient from the offsets.
  place += one_row ? "    const Flat left = ~Flat{};\n"
                   : fmt::format(
                         "    const Flat left = p.extent{0}.divisor -\n"
                         "                      (i - quotient(i, p.extent{0}) * "
                         "p.extent{0}.divisor);\n",
                         plan.rank - 1);
  const auto turned = turned_along(plan);
  place += turns_text(plan, turned);
  return fmt::format(
      "  struct Strip {{\n    Flat left;\n{}{}  }};\n"
      "  CUPOLA_KERNEL_FN Strip strip(const Arguments& p, Flat i) {{\n{}"
      "    return {{left{}{}}};\n  }}\n",
      members(operands, "    Index {0};\n"), members(turned, "    Index before_{0};\n"), place,
      members(operands, ", offset_{0}"), members(turned, ", before_{0}"));
}

std::string strip_load(const KernelPlan& plan, const Operand& input) {
  const int last = plan.rank - 1;
  if (input.layout == OperandLayout::contiguous) {
    return fmt::format("    x.{0} = load_along<N>(p.{0} + i, 1);\n", input.name);
  }
  if (is_turned_along(input.turned, last)) {
    return fmt::format(
        "    x.{0} = load_turned<N>(p.{0} + s.{0}, p.stride_{0}_{1}, s.before_{0}, "
        "p.jump_{0}_{1});\n",
        input.name, last);
  }
  return fmt::format("    x.{0} = load_along<N>(p.{0} + s.{0}, p.stride_{0}_{1});\n", input.name,
                     last);
}

std::string strips_text(const KernelPlan& plan) {
  std::string loads;
  for (const Operand& input : element_inputs(plan)) loads += strip_load(plan, input);
  std::string stores;
  for (const Operand& output : outputs_of(plan)) {
    stores += fmt::format(
        "    store_vector<N>(p.{0} + {1}, 0, {0});\n", output.name,
        output.layout == OperandLayout::contiguous ? "i" : fmt::format("s.{}", output.name));
  }
  return fmt::format(
      "{}"
      "  template <int N>\n  struct StripPack {{\n{}  }};\n"
      "  template <int N>\n"
      "  CUPOLA_KERNEL_FN void load_strip(const Arguments& p, Flat i, const Strip& s,\n"
      "                                   StripPack<N>& x) {{\n{}  }}\n"
      "  template <int N>\n"
      "  CUPOLA_KERNEL_FN void put_strip(const Arguments& p, const Uniform& u, Flat i,\n"
      "                                  const Strip& s, const StripPack<N>& x) {{\n{}  }}\n",
      strip_text(plan), pack_members(element_inputs(plan), "N"), loads,
      compute_pack(plan, "N", "i + e", stores));
}

// Neighbours across the ends of rows: one division for the first; the others follow by steps, but
// where the dimension above the rows ends as well.
std::string across_text(const KernelPlan& plan) {
  const auto operands = strided(element_inputs(plan));
  const int last = plan.rank - 1;
  const std::string above =
      plan.rank == 2 ? "    const Flat above = ~Flat{};\n"
                     : fmt::format(
                           "    const Flat above = p.extent{0}.divisor -\n"
                           "        (row - quotient(row, p.extent{0}) * p.extent{0}.divisor);\n",
                           last - 1);
  const std::string steps =
      members(operands, fmt::format("    w.{{0}} += ends ? p.stride_{{0}}_{0} - (row - 1) * "
                                    "p.stride_{{0}}_{1} : p.stride_{{0}}_{1};\n",
                                    last - 1, last));
  std::string loads, whole;
  for (const Operand& input : element_inputs(plan)) {
    if (input.layout == OperandLayout::contiguous) {
      whole += fmt::format("    x.{0} = load_along<N>(p.{0} + i, 1);\n", input.name);
    } else {
      loads += fmt::format("      x.{0}.at[e] = p.{0}[w.{0}];\n", input.name);
    }
  }
  return fmt::format(
      "  struct Walk {{\n    Flat left, above;\n{}  }};\n"
      "  CUPOLA_KERNEL_FN Walk walk(const Arguments& p, Flat i) {{\n{}{}"
      "    const Flat row = quotient(i, p.extent{}), left = p.extent{}.divisor * (row + 1) - i;\n"
      "{}    return {{left, above{}}};\n  }}\n"
      "  CUPOLA_KERNEL_FN void advance(const Arguments& p, Flat to, Walk& w) {{\n"
      "    const Index row = static_cast<Index>(p.extent{}.divisor);\n"
      "    const bool ends = --w.left == 0;\n{}"
      "    if (ends) w.left = p.extent{}.divisor;\n"
      "    if (ends && --w.above == 0) w = walk(p, to);\n  }}\n"
      "  template <int N>\n"
      "  CUPOLA_KERNEL_FN void load_across(const Arguments& p, Flat i, StripPack<N>& x) {{\n{}"
      "    Walk w = walk(p, i);\n"
      "#pragma unroll\n"
      "    for (int e = 0; e < N; ++e) {{\n"
      "      if (e > 0) advance(p, i + e, w);\n{}    }}\n  }}\n",
      members(operands, "    Index {0};\n"), members(operands, "    Index offset_{0} = 0;\n"),
      cuda_offsets(operands, "i", 0, plan.rank, "offset_", "    "), last, last, above,
      members(operands, ", offset_{0}"), last, steps, last, whole, loads);
}

// Where a tile begins. Contiguous operands share the offset `flat`.
std::string corner_text(const KernelPlan& plan) {
  auto operands = strided_operands(plan);
  if (has_contiguous_operands(plan)) operands.push_back({"flat"});
  const std::string row_and_column = fmt::format(
      "    Index offset_{{0}} = row * p.stride_{{0}}_{} + column * p.stride_{{0}}_{};\n",
      plan.rank - 2, plan.rank - 1);
  return fmt::format(
      "  struct Corner {{\n{}  }};\n"
      "  CUPOLA_KERNEL_FN Corner corner(const Arguments& p, Flat batch, Index row, Index column) "
      "{{\n"
      "{}{}    return {{{}}};\n  }}\n",
      members(operands, "    Index {0};\n"), members(operands, row_and_column),
      cuda_offsets(operands, "batch", 0, plan.rank - 2, "offset_", "    "),
      members(operands, "offset_{0}, "));
}

std::string tile_place(const KernelPlan& plan, const Operand& operand) {
  return fmt::format("p.{0} + (corner.{1} + row * p.stride_{1}_{2} + column * p.stride_{1}_{3})",
                     operand.name,
                     operand.layout == OperandLayout::contiguous ? "flat" : operand.name,
                     plan.rank - 2, plan.rank - 1);
}

// Whether it goes through shared memory. The only operand that could does: else there are no tiles.
std::string staged(const KernelPlan& plan, const Operand& operand) {
  if (strided(element_inputs(plan)).size() == 1) return "(true)";
  return fmt::format("(p.tiling.staged >> {} & 1)", operand.number);
}

// What goes through shared memory.
std::string staging_text(const KernelPlan& plan) {
  std::string fetched, shared, fetch, spread, stage;
  for (const Operand& input : element_inputs(plan)) {
    if (input.layout != OperandLayout::strided) continue;
    const std::string type = fmt::format("Staging<{}, kRows, kColumns>", input.type);
    fetched += fmt::format("    typename {}::Fetched {};\n", type, input.name);
    shared += fmt::format("    typename {}::Shared {};\n", type, input.name);
    fetch += fmt::format(
        "    if {0} {{\n"
        "      {1}::fetch(x.{2}, p.{2} + corner.{2}, p.stride_{2}_{3}, rows, columns);\n    }}\n",
        staged(plan, input), type, input.name, plan.rank - 1);
    stage += fmt::format(
        "    if {0} {{\n"
        "      {1}::stage(shared.{2}, p.{2} + corner.{2}, p.stride_{2}_{3}, p.stride_{2}_{4},\n"
        "          rows, columns, p.tiling.runs >> {5} & 1);\n    }}\n",
        staged(plan, input), type, input.name, plan.rank - 2, plan.rank - 1, input.number);
    spread += fmt::format("    if {0} {1}::spread(x.{2}, shared.{2});\n", staged(plan, input), type,
                          input.name);
  }
  return fmt::format(
      "  struct Fetched {{\n{}  }};\n  struct Shared {{\n{}  }};\n"
      "  CUPOLA_KERNEL_FN void fetch(const Arguments& p, const Corner& corner, int rows,\n"
      "                              int columns, Fetched& x) {{\n{}  }}\n"
      "  CUPOLA_KERNEL_FN void spread(const Arguments& p, const Fetched& x, Shared& shared) {{\n"
      "{}  }}\n"
      "  CUPOLA_KERNEL_FN void stage(const Arguments& p, const Corner& corner, int rows,\n"
      "                              int columns, Shared& shared) {{\n{}  }}\n",
      fetched, shared, fetch, spread, stage);
}

std::string tiles_text(const KernelPlan& plan, const StridedSizes& sizes) {
  std::string direct, others;
  for (const Operand& input : element_inputs(plan)) {
    if (input.layout == OperandLayout::contiguous) {
      direct +=
          fmt::format("    x.{} = load_along<N>({}, 1);\n", input.name, tile_place(plan, input));
      continue;
    }
    others += fmt::format(
        "    if {0} {{\n"
        "      x.{1} = Staging<{2}, kRows, kColumns>::template read<Vectors, N>(shared.{1}, row,\n"
        "          column);\n"
        "    }} else {{\n"
        "      x.{1} = load_along<N>({3}, p.stride_{1}_{4});\n    }}\n",
        staged(plan, input), input.name, input.type, tile_place(plan, input), plan.rank - 1);
  }
  std::string stores;
  for (const Operand& output : outputs_of(plan)) {
    stores += fmt::format("    store_along<Vectors, N>({}, p.stride_{}_{}, {});\n",
                          tile_place(plan, output),
                          output.layout == OperandLayout::contiguous ? "flat" : output.name,
                          plan.rank - 1, output.name);
  }
  const Operand first = outputs_of(plan).front();
  return fmt::format(
      "  static constexpr int kRows = {}, kColumns = {};\n{}{}"
      "  template <int N>\n  struct TilePack {{\n{}  }};\n"
      "  template <int N>\n"
      "  CUPOLA_KERNEL_FN void load_direct(const Arguments& p, const Corner& corner, Index row,\n"
      "                                    Index column, TilePack<N>& x) {{\n{}  }}\n"
      "  template <bool Vectors, int N>\n"
      "  CUPOLA_KERNEL_FN void put_tile(const Arguments& p, const Uniform& u, const Corner& "
      "corner,\n"
      "                                 const Shared& shared, Index row, Index column,\n"
      "                                 TilePack<N>& x) {{\n{}{}  }}\n"
      "  template <int N>\n"
      "  CUPOLA_KERNEL_FN int lead(const Arguments& p, const Corner& corner, Index row) {{\n"
      "    return elements_past<N>({});\n  }}\n",
      sizes.tile_rows, sizes.tile_columns, corner_text(plan), staging_text(plan),
      pack_members(element_inputs(plan), "N"), direct, others,
      compute_pack(plan, "N", "Flat{}", stores),
      fmt::format("p.{0} + (corner.{1} + row * p.stride_{1}_{2})", first.name,
                  first.layout == OperandLayout::contiguous ? "flat" : first.name, plan.rank - 2));
}

}  // namespace

std::string strided_text(const KernelPlan& plan, const StridedSizes& sizes) {
  std::string text = strips_text(plan);
  if (sizes.across > 0) text += across_text(plan);
  if (sizes.tile_rows > 0) text += tiles_text(plan, sizes);
  return text;
}

}  // namespace cupola
