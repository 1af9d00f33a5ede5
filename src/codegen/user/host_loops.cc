#include "codegen/user/host_loops.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text/text.h"
#include "codegen/cuda/cuda_headers.h"
#include "codegen/user/user_function.h"
#include "codegen/user/user_text.h"

namespace cupola {
namespace {

std::string elements_loop(const UserFunction& function) {
  const bool is_one = function.outputs.size() == 1;
  std::string pointers, results, stores;
  std::vector<std::string> arguments;
  for (std::size_t i = 0; i < function.inputs.size(); ++i) {
    pointers += fmt::format("  const auto* const in{0} = static_cast<const {1}*>(inputs[{0}]);\n",
                            i, global_type_text(function.inputs[i]));
    arguments.push_back(fmt::format("in{}[i]", i));
  }
  for (std::size_t i = 0; i < function.outputs.size(); ++i) {
    const std::string type = global_type_text(function.outputs[i]);
    pointers += fmt::format("  auto* const out{} = static_cast<{}*>({});\n", i, type,
                            is_one ? "output" : fmt::format("outputs[{}]", i));
    results += fmt::format("    {} r{}{{}};\n", type, i);
    arguments.push_back(fmt::format("r{}", i));
    stores += fmt::format("    out{0}[i] = r{0};\n", i);
  }
  return fmt::format(
      "extern \"C\" void {}(const void* const* inputs, {}, ptrdiff_t count) {{\n"
      "{}  for (ptrdiff_t i = 0; i < count; ++i) {{\n{}    ::{}::call({});\n{}  }}\n}}\n",
      host_loop_name(function), is_one ? "void* output" : "void* const* outputs", pointers, results,
      function.space, joined(arguments, ", "), stores);
}

std::string combining_loops(const UserFunction& function) {
  const std::string type = global_type_text(function.outputs.front());
  constexpr const char* kLoops[][3] = {
      {"tree", "const void* values, ptrdiff_t count, void* result", "values, count, result"},
      {"rows",
       "const void* rows, ptrdiff_t row_stride, ptrdiff_t row_count, ptrdiff_t count, "
       "void* accumulators",
       "rows, row_stride, row_count, count, accumulators"}};
  std::string text;
  for (const auto& [loop, parameters, arguments] : kLoops) {
    text += fmt::format(
        "extern \"C\" void {0}_{1}({2}) {{\n  cupola_host::{1}<{3}>({4}, []({3} a, {3} b) {{\n"
        "    {3} r{{}};\n    ::{5}::call(a, b, r);\n    return r;\n  }});\n}}\n",
        host_loop_name(function), loop, parameters, type, arguments, function.space);
  }
  return text;
}

}  // namespace

std::string host_loop_name(const UserFunction& function) { return function.call + "_loop"; }

UserText host_loops_text(std::span<const UserFunction* const> functions) {
  UserText text;
  std::vector<std::string_view> preambles;
  for (const UserFunction* function : functions) {
    const std::string_view preamble = function->preamble;
    if (std::find(preambles.begin(), preambles.end(), preamble) == preambles.end()) {
      preambles.push_back(preamble);
      text.text += function->preamble + "\n";
    }
    text.text += function->definition + elements_loop(*function);
    if (function->combines) text.text += combining_loops(*function);
  }
  const auto any = [&](bool UserFunction::*member) {
    return std::any_of(functions.begin(), functions.end(),
                       [&](const UserFunction* each) { return each->*member; });
  };
  text.prelude = host_prelude(text.text, text.text, {}, any(&UserFunction::has_complex));
  constexpr std::string_view kReduction[] = {"reduction.cuh"};
  if (any(&UserFunction::combines)) text.prelude += cuda_header_text(kReduction);
  return text;
}

}  // namespace cupola
