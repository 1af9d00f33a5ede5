#include "codegen/cuda/families/rows_text.h"

#include <fmt/format.h>

#include <set>

#include "codegen/cuda/cuda_names.h"
#include "codegen/cuda/cuda_text_steps.h"
#include "codegen/cuda/families/row_text.h"
#include "codegen/cuda/operand_offsets.h"
#include "codegen/cuda/plan_facts.h"
#include "codegen/row_program.h"

namespace cupola {
namespace {

class RowBody {
 public:
  explicit RowBody(const KernelPlan& plan) : plan_(plan), program_(row_program(plan)) {
    for (const OutputSpec& output : plan.outputs) has_elements_ |= !output.operand.per_row;
  }

  std::string text() const {
    std::string text = members_text() + row_text() + start_text();
    for (std::size_t stage = 0; stage + 1 < program_.stages.size(); ++stage) {
      text += combining_text(stage);
    }
    if (has_elements_) text += last_text();
    return text + row_results_text() + (program_.is_reduction ? reduction_text() : run_text());
  }

 private:
  const Step& step(int i) const { return plan_.steps[static_cast<std::size_t>(i)]; }
  bool is_row(int i) const {
    return program_.levels[static_cast<std::size_t>(i)] == StepLevel::row;
  }
  std::string declared(int i, std::string_view indent) const {
    return fmt::format("{}{} v{};\n", indent, cuda_type(step(i).dtype), i);
  }

  // The structs of values: of a row, of an element between walks, of what an element stores.
  std::string members_text() const {
    std::string values, held, out;
    for (int i = 0; i < static_cast<int>(plan_.steps.size()); ++i) {
      if (is_row(i)) values += declared(i, "    ");
      if (program_.is_held(i)) held += declared(i, "    ");
    }
    for (std::size_t o = 0; o < plan_.outputs.size(); ++o) {
      const OperandSpec& operand = plan_.outputs[o].operand;
      if (!operand.per_row) out += fmt::format("    {} out{};\n", cuda_type(operand.dtype), o);
    }
    return fmt::format(
        "  struct Values {{\n{}  }};\n  struct Held {{\n{}  }};\n  struct Out {{\n{}  }};\n",
        values, held, out);
  }

  bool walks_by_strides(const OperandSpec& operand) const {
    return operand.layout == OperandLayout::strided && !operand.per_row;
  }
  bool is_walked(std::size_t input) const {
    return is_loaded(plan_, input) && walks_by_strides(plan_.inputs[input]);
  }

  // Where each strided operand's part of a row begins.
  std::string row_text() const {
    std::vector<StridedOperand> operands;
    for (std::size_t i = 0; i < plan_.inputs.size(); ++i) {
      if (is_walked(i)) operands.push_back({fmt::format("in{}", i)});
    }
    for (std::size_t o = 0; o < plan_.outputs.size(); ++o) {
      if (walks_by_strides(plan_.outputs[o].operand)) operands.push_back({fmt::format("out{}", o)});
    }
    if (!program_.is_reduction) return row_struct_text(plan_, operands, "", "");
    return row_struct_text(plan_, operands, "    Values values;\n",
                           "    start(p, uniform(p), kept, row.values);\n");
  }

  // Statements for `steps`, and the names of what they take from a row's and an element's values.
  std::string statements(const std::vector<int>& steps, const std::vector<int>& also = {}) const {
    std::set<int> taken(also.begin(), also.end());
    const std::set<int> own(steps.begin(), steps.end());
    for (const int i : steps) {
      if (step(i).kind == StepKind::combine) continue;
      for (const std::int16_t argument : arguments_of(plan_, step(i))) {
        if (!own.contains(argument)) taken.insert(argument);
      }
    }
    std::string text;
    for (const int i : taken) {
      if (own.contains(i)) continue;
      text += fmt::format("    const {0} v{1} = {2}.v{1};\n", cuda_type(step(i).dtype), i,
                          is_row(i) ? "values" : "held");
    }
    for (const int i : steps) text += cuda_step(plan_, i, "    ");
    return text;
  }

  // Values of rows that are known after so many combinations one upon the other, and the uniform
  // ones below them.
  std::vector<int> row_steps(int depth) const {
    std::set<int> steps;
    const auto add = [&](auto& self, int i) -> void {
      if (!steps.insert(i).second) return;
      for (const std::int16_t argument : arguments_of(plan_, step(i))) {
        if (!is_row(argument)) self(self, argument);
      }
    };
    for (int i = 0; i < static_cast<int>(plan_.steps.size()); ++i) {
      const bool now = is_row(i) && program_.depths[static_cast<std::size_t>(i)] == depth;
      if (now && step(i).kind != StepKind::combine) add(add, i);
    }
    return {steps.begin(), steps.end()};
  }
  std::string kept_values(const std::vector<int>& steps) const {
    std::string text;
    for (const int i : steps) {
      if (is_row(i)) text += fmt::format("    values.v{0} = v{0};\n", i);
    }
    return text;
  }

  std::string start_text() const {
    const std::vector<int> steps = row_steps(0);
    std::string loads;
    for (const int i : steps) {
      if (step(i).kind != StepKind::load || !is_row(i)) continue;
      const std::string name = fmt::format("in{}", step(i).index);
      loads += fmt::format("    Index offset_{} = 0;\n", name) +
               cuda_offsets({{name}}, "kept", 0, kept_rank(plan_), "offset_", "    ") +
               fmt::format("    x.{0} = p.{0}[offset_{0}];\n", name);
    }
    return "  CUPOLA_KERNEL_FN void start(const Arguments& p, const Uniform& u, Flat kept,\n"
           "                              Values& values) {\n    Element x;\n" +
           loads + statements(steps) + kept_values(steps) + "  }\n";
  }

  // Loads of a walk: quad() of four neighbours, one() of one element; gather() of four by one()
  // that lanes exchange.
  std::string loads_text(std::string_view name, const std::vector<int>& steps) const {
    std::string one, wide, gather;
    std::vector<StridedOperand> strided;
    for (const int i : steps) {
      if (step(i).kind != StepKind::load) continue;
      const std::size_t input = step(i).index;
      const OperandSpec& operand = plan_.inputs[input];
      if (operand.layout == OperandLayout::broadcast) continue;
      gather += fmt::format("      gather_quad(x, &Element::in{}, width);\n", input);
      if (operand.layout == OperandLayout::strided) {
        strided.push_back({fmt::format("in{}", input)});
        one += fmt::format("      x.in{0} = p.in{0}[offset_in{0}];\n", input);
        continue;
      }
      one += fmt::format("      x.in{0} = p.in{0}[flat];\n", input);
      if (!operand.aligned16) continue;
      wide += fmt::format(
          "      const auto four{0} = load_vector<4>(p.in{0}, flat / 4);\n"
          "#pragma unroll\n"
          "      for (int j = 0; j < 4; ++j) x[j].in{0} = four{0}.at[j];\n",
          input);
    }
    std::string offsets;
    for (const StridedOperand& operand : strided) {
      offsets += fmt::format("      Index offset_{0} = row.{0};\n", operand.name);
    }
    offsets += cuda_offsets(strided, "r", kept_rank(plan_), plan_.rank, "offset_", "      ");
    return fmt::format(
        "    struct {} {{\n"
        "    CUPOLA_KERNEL_FN void one(const Arguments& p, const Row& row, Flat flat, Flat r,\n"
        "                              Element& x) {{\n{}{}    }}\n"
        "    CUPOLA_KERNEL_FN void quad(const Arguments& p, const Row& row, Flat flat, Flat r,\n"
        "                               Element (&x)[4]) {{\n"
        "#pragma unroll\n"
        "      for (int j = 0; j < 4; ++j) one(p, row, flat + j, r + j, x[j]);\n{}    }}\n"
        "    CUPOLA_KERNEL_FN void gather(Element (&x)[4], unsigned int width) {{\n{}    }}\n"
        "    }};\n",
        name, offsets, one, wide, gather);
  }
  bool has_loads(const std::vector<int>& steps) const {
    for (const int i : steps) {
      if (step(i).kind == StepKind::load && !is_uniform_load(i)) return true;
    }
    return false;
  }
  bool is_uniform_load(int i) const {
    return plan_.inputs[step(i).index].layout == OperandLayout::broadcast;
  }

  // What a walk makes of one element, with its values held and without.
  std::string element_text(const RowStage& stage, std::string_view name, std::string_view type,
                           const std::string& result) const {
    std::string hold;
    for (const int i : stage.steps) {
      if (program_.is_held(i)) hold += fmt::format("    held.v{0} = v{0};\n", i);
    }
    return fmt::format(
        "    static constexpr bool kLoads = {0};\n{1}{2}"
        "    CUPOLA_KERNEL_FN {3} {4}(const Arguments& p, const Uniform& u, const Values& values,\n"
        "                            const Element& x, Held& held) {{\n{5}{6}{8}    }}\n"
        "    CUPOLA_KERNEL_FN {3} {4}_again(const Arguments& p, const Uniform& u,\n"
        "                            const Values& values, const Element& x) {{\n{7}{8}    }}\n",
        has_loads(stage.steps), loads_text("Loads", stage.steps),
        loads_text("AllLoads", stage.all_steps), type, name, statements(stage.steps, stage.wanted),
        hold, statements(stage.all_steps, stage.wanted), result);
  }

  std::string combining_text(std::size_t number) const {
    const RowStage& stage = program_.stages[number];
    std::string members, combine, result;
    for (const int i : stage.combined) {
      members += declared(i, "      ");
      combine +=
          fmt::format("      {}\n",
                      cuda_combination(plan_, combine_of(step(i)), fmt::format("first.v{}", i),
                                       fmt::format("second.v{}", i), fmt::format("result.v{}", i)));
      result += fmt::format("    state.v{} = v{};\n", i, step(i).args[0]);
    }
    return fmt::format(
        "  struct Stage{} {{\n    struct State {{\n{}    }};\n"
        "    CUPOLA_KERNEL_FN State combine(const State& first, const State& second) {{\n"
        "      State result;\n{}      return result;\n    }}\n{}{}  }};\n",
        number, members, combine,
        element_text(stage, "state", "State",
                     fmt::format("    State state;\n{}    return state;\n", result)),
        finish_text(stage, static_cast<int>(number)));
  }

  // finish(): the values of a row that are known with a stage's combinations.
  std::string finish_text(const RowStage& stage, int number) const {
    std::string combined;
    for (const int i : stage.combined) {
      const std::string type(cuda_type(step(i).dtype));
      std::string value = fmt::format("    values.v{0} = state.v{0};\n", i);
      if (starts_from_zero(combine_of(step(i)))) {
        value = fmt::format("    {}\n", cuda_combination(plan_, combine_of(step(i)), type + "{}",
                                                         fmt::format("state.v{}", i),
                                                         fmt::format("values.v{}", i)));
      }
      combined += value;
    }
    const std::vector<int> steps = row_steps(number + 1);
    return "    CUPOLA_KERNEL_FN void finish(const Arguments& p, const Uniform& u,\n"
           "                                 const State& state, Values& values) {\n" +
           combined + statements(steps) + kept_values(steps) + "    }\n";
  }

  std::string last_text() const {
    std::string result, wide, narrow, one, spread;
    std::vector<StridedOperand> strided;
    for (std::size_t o = 0; o < plan_.outputs.size(); ++o) {
      const OutputSpec& output = plan_.outputs[o];
      if (output.operand.per_row) continue;
      result += fmt::format("    out.out{} = v{};\n", o, output.value);
      spread += fmt::format("      spread_quad(out, &Out::out{}, width);\n", o);
      const bool by_strides = walks_by_strides(output.operand);
      if (by_strides) strided.push_back({fmt::format("out{}", o)});
      const std::string store = fmt::format("      p.out{0}[{1}] = out.out{0};\n", o,
                                            by_strides ? fmt::format("offset_out{}", o) : "flat");
      one += store;
      if (by_strides || !output.operand.aligned16) {
        narrow += store;
        continue;
      }
      wide += fmt::format(
          "      Vector<{1}, 4> four{0};\n"
          "#pragma unroll\n"
          "      for (int j = 0; j < 4; ++j) four{0}.at[j] = out[j].out{0};\n"
          "      store_vector<4>(p.out{0}, flat / 4, four{0});\n",
          o, cuda_type(output.operand.dtype));
    }
    std::string offsets;
    for (const StridedOperand& operand : strided) {
      offsets += fmt::format("      Index offset_{0} = row.{0};\n", operand.name);
    }
    offsets += cuda_offsets(strided, "r", kept_rank(plan_), plan_.rank, "offset_", "      ");
    constexpr std::string_view kNarrowStores =
        "#pragma unroll\n"
        "      for (int j = 0; j < 4; ++j) put_narrow(p, row, out[j], flat + j, r + j);\n";
    return "  struct Last {\n" +
           element_text(program_.stages.back(), "out", "Out",
                        fmt::format("    Out out;\n{}    return out;\n", result)) +
           store_text("put_one", offsets + one) +
           (narrow.empty() ? "" : store_text("put_narrow", offsets + narrow)) +
           fmt::format(
               "    CUPOLA_KERNEL_FN void put(const Arguments& p, const Row& row,\n"
               "                              const Out (&out)[4], Flat flat, Flat r) {{\n{}{}    "
               "}}\n"
               "    CUPOLA_KERNEL_FN void spread(Out (&out)[4], unsigned int width) {{\n{}    }}\n"
               "  }};\n",
               wide, narrow.empty() ? narrow : kNarrowStores, spread);
  }

  static std::string store_text(std::string_view name, const std::string& stores) {
    return fmt::format(
        "    CUPOLA_KERNEL_FN void {}(const Arguments& p, const Row& row, const Out& out, Flat "
        "flat,\n"
        "                              Flat r) {{\n{}    }}\n",
        name, stores);
  }

  // put_row(): stores what there is one of for the row.
  std::string row_results_text() const {
    std::string stores;
    std::set<int> steps;
    for (std::size_t o = 0; o < plan_.outputs.size(); ++o) {
      const OutputSpec& output = plan_.outputs[o];
      if (!output.operand.per_row) continue;
      steps.insert(output.value);
      const std::string name = fmt::format("out{}", o);
      stores += fmt::format("    Index offset_{} = 0;\n", name) +
                cuda_offsets({{name}}, "kept", 0, kept_rank(plan_), "offset_", "    ") +
                fmt::format("    p.{0}[offset_{0}] = v{1};\n", name, output.value);
      if (plan_.outputs.size() == 1) {
        stores +=
            fmt::format("    if (p.header.mirror) *static_cast<{}*>(p.header.mirror) = v{};\n",
                        cuda_type(output.operand.dtype), output.value);
      }
    }
    // Values that are the same for all rows are computed here.
    std::set<int> uniform;
    const auto add = [&](auto& self, int i) -> void {
      if (is_row(i) || !uniform.insert(i).second) return;
      for (const std::int16_t argument : arguments_of(plan_, step(i))) self(self, argument);
    };
    for (const int i : steps) add(add, i);
    return "  CUPOLA_KERNEL_FN void put_row(const Arguments& p, const Uniform& u,\n"
           "                                const Values& values, Flat kept) {\n" +
           statements({uniform.begin(), uniform.end()}, {steps.begin(), steps.end()}) + stores +
           "  }\n";
  }

  // What the kernels of reductions take.
  std::string reduction_text() const {
    const int states = static_cast<int>(program_.stages.front().combined.size());
    const int unroll = has_long_steps(plan_) ? 1 : states > 1 ? 2 : 4;
    return fmt::format(
        "  using State = Stage0::State;\n"
        "  static constexpr int kUnroll = {};\n"
        "  CUPOLA_KERNEL_FN State combine(const State& first, const State& second) {{\n"
        "    return Stage0::combine(first, second);\n  }}\n"
        "  CUPOLA_KERNEL_FN State append(const State& first, const State& second) {{\n"
        "    return combine(first, second);\n  }}\n"
        "  CUPOLA_KERNEL_FN State at(const Arguments& p, const Uniform& u, const Row& row,\n"
        "                            Flat kept, Flat r) {{\n"
        "    Element x;\n"
        "    const Flat flat = kept * static_cast<Flat>(p.header.length) + r;\n"
        "    Stage0::AllLoads::one(p, row, flat, r, x);\n"
        "    return Stage0::state_again(p, u, row.values, x);\n  }}\n"
        "  template <bool Packed>\n"
        "  CUPOLA_KERNEL_FN void quad(const Arguments& p, const Uniform& u, const Row& row,\n"
        "                             Flat kept, Flat r, State (&states)[4]) {{\n"
        "    Element x[4];\n"
        "    const Flat flat = kept * static_cast<Flat>(p.header.length) + r;\n"
        "    if constexpr (Packed) Stage0::AllLoads::quad(p, row, flat, r, x);\n"
        "#pragma unroll\n"
        "    for (int j = 0; j < 4 && !Packed; ++j) {{\n"
        "      Stage0::AllLoads::one(p, row, flat + j, r + j, x[j]);\n    }}\n"
        "#pragma unroll\n"
        "    for (int j = 0; j < 4; ++j) {{\n"
        "      states[j] = Stage0::state_again(p, u, row.values, x[j]);\n    }}\n  }}\n"
        "  CUPOLA_KERNEL_FN void finish(const Arguments& p, Flat number, const State& state) {{\n"
        "    const Uniform u = uniform(p);\n"
        "    Values values;\n"
        "    start(p, u, number, values);\n"
        "    Stage0::finish(p, u, state, values);\n"
        "    put_row(p, u, values, number);\n  }}\n",
        unroll);
  }

  std::string run_text() const {
    std::string stages;
    for (std::size_t i = 0; i + 1 < program_.stages.size(); ++i) {
      stages += fmt::format(
          "    Stage{0}::finish(walk.p, walk.uniform, walk.template combine<Stage{0}>(values), "
          "values);\n",
          i);
    }
    if (has_elements_) stages += "    walk.template put<Last>(values);\n";
    return "  template <class Walk>\n"
           "  CUPOLA_KERNEL_FN void run(Walk& walk) {\n"
           "    Values values;\n"
           "    start(walk.p, walk.uniform, walk.kept, values);\n" +
           stages +
           "    if (walk.stores_row()) put_row(walk.p, walk.uniform, values, walk.kept);\n  }\n";
  }

  const KernelPlan& plan_;
  const RowProgram program_;
  bool has_elements_ = false;
};

}  // namespace

std::string rows_text(const KernelPlan& plan) { return RowBody(plan).text(); }

}  // namespace cupola
