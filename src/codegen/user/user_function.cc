#include "codegen/user/user_function.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/text.h"
#include "codegen/cuda/cuda_headers.h"
#include "codegen/cuda/cuda_names.h"
#include "codegen/user/user_reduction.h"
#include "codegen/user/user_words.h"

namespace cupola {
namespace {

// A 16-bit float or complex number is another class in a body than in the generated part.
bool is_class(DType dtype) { return is_complex(dtype) || user_type_text(dtype).ends_with("16"); }

std::string between(DType dtype, const std::string& type, const std::string& value) {
  return is_class(dtype) ? fmt::format("__builtin_bit_cast({}, {})", type, value) : value;
}

// Long ones are left to the compiler, as a kernel has several copies of what is inline.
std::string_view specifiers_of(const UserDefinition& definition) {
  constexpr std::size_t kMaxWords = 300;
  return source_words(definition.operation).size() > kMaxWords
             ? "static __device__"
             : "static __device__ __forceinline__";
}

// The function in the user's namespace, and the one that the generated part calls.
std::string declaration_of(const UserFunction& function, std::string_view specifiers) {
  std::vector<std::string> types, parameters, arguments, results;
  std::string locals, members;
  for (std::size_t i = 0; i < function.inputs.size(); ++i) {
    const DType dtype = function.inputs[i];
    types.push_back(global_type_text(dtype));
    parameters.push_back(fmt::format("{} a{}", cuda_type(dtype), i));
    arguments.push_back(between(dtype, global_type_text(dtype), fmt::format("a{}", i)));
  }
  for (std::size_t i = 0; i < function.outputs.size(); ++i) {
    const DType dtype = function.outputs[i];
    types.push_back(global_type_text(dtype) + "&");
    arguments.push_back(fmt::format("r{}", i));
    locals += fmt::format("  {} r{}{{}};\n", global_type_text(dtype), i);
    members += fmt::format("  {} r{};\n", cuda_type(dtype), i);
    results.push_back(between(dtype, std::string(cuda_type(dtype)), fmt::format("r{}", i)));
  }
  return fmt::format(
      "namespace {0} {{\n{8} void call({1});\n}}\n"
      "namespace cupola_device {{\nstruct Of_{2} {{\n{3}}};\n"
      "static __device__ __forceinline__ Of_{2} {2}({4}) {{\n{5}  ::{0}::call({6});\n"
      "  return {{{7}}};\n}}\n}}  // namespace cupola_device\n",
      function.space, joined(types, ", "), function.call, members, joined(parameters, ", "), locals,
      joined(arguments, ", "), joined(results, ", "), specifiers);
}

std::string definition_of(const UserDefinition& definition, std::span<const DType> types,
                          const std::string& space, const std::string& preamble) {
  std::string letters, typedefs;
  std::vector<std::string> parameters;
  for (std::size_t i = 0; i < definition.count(); ++i) {
    const UserParameter& parameter = definition.parameter(i);
    const std::string type(user_type_text(types[i]));
    if (parameter.is_template() && letters.find(parameter.type) == letters.npos) {
      letters += parameter.type;
      typedefs += fmt::format("typedef {} {};\n", type, parameter.type);
    }
    const bool is_input = i < definition.input_count();
    parameters.push_back(fmt::format("{}{}{} {}", parameter.is_const ? "const " : "",
                                     parameter.is_template() ? parameter.type : type,
                                     is_input ? "" : "&", parameter.name));
  }
  std::string ends;
  for (const std::string& macro : macros_in(preamble)) ends += fmt::format("#undef {}\n", macro);
  // A using-directive, not the namespace itself: overloads of the language stay beside the user's.
  return fmt::format(
      "namespace {0}_names {{\n{1}{2}\n}}\nnamespace {0} {{\nusing namespace {0}_names;\n"
      "{6} void call({3}) {{\n{4}\n;\n}}\n}}\n{5}",
      space, typedefs, preamble, joined(parameters, ", "), definition.operation, ends,
      specifiers_of(definition));
}

// Of classes or namespaces, which may call themselves.
bool has_inner_functions(std::string_view preamble) {
  const std::vector<std::string_view> words = source_words(preamble);
  return std::any_of(words.begin(), words.end(), [](std::string_view word) {
    return word == "namespace" || word == "struct" || word == "class" || word == "union";
  });
}

bool mentions_complex(std::string_view text) {
  return text.find("complex") != text.npos || text.find("cupola_device") != text.npos ||
         text.find("thrust") != text.npos;
}

std::vector<const UserFunction*> functions_of(const KernelPlan& plan) {
  std::vector<const UserFunction*> functions;
  for (const UserStep& call : plan.calls) {
    const bool is_known =
        std::any_of(functions.begin(), functions.end(),
                    [&](const UserFunction* each) { return each->key == call.function->key; });
    if (!is_known) functions.push_back(call.function);
  }
  return functions;
}

std::vector<std::string_view> headers_for(bool has_complex) {
  if (has_complex) return {"user_kernel.cuh", "user_complex.cuh"};
  return {"user_kernel.cuh"};
}

}  // namespace

std::string global_type_text(DType dtype) {
  return (is_class(dtype) ? "::" : "") + std::string(user_type_text(dtype));
}

bool may_fuse(const UserDefinition& definition) {
  const auto is_plain = [](const UserParameter& parameter) { return !parameter.is_raw; };
  const bool has_own_options =
      !definition.options.empty() && definition.options != std::vector<std::string>{"--fmad=false"};
  const bool is_shared = definition.preamble.starts_with(kSharedPreamble);
  return !definition.inputs.empty() && !definition.outputs.empty() &&
         definition.loop_prep.empty() && definition.after_loop.empty() && !has_own_options &&
         std::all_of(definition.inputs.begin(), definition.inputs.end(),
                     [](const UserParameter& input) { return !input.is_raw && input.is_const; }) &&
         std::all_of(definition.outputs.begin(), definition.outputs.end(), is_plain) &&
         (is_shared ? macros_in(definition.preamble).empty()
                    : is_pointwise_preamble(definition.preamble)) &&
         (definition.is_reduction ? is_pointwise_reduction(definition)
                                  : is_pointwise_body(definition.operation));
}

UserFunction make_user_function(const UserDefinition& definition, std::span<const DType> types) {
  UserFunction function;
  function.name = definition.name;
  const auto outputs = types.begin() + static_cast<std::ptrdiff_t>(definition.input_count());
  function.inputs.assign(types.begin(), outputs);
  function.outputs.assign(outputs, types.end());
  const bool is_shared = definition.preamble.starts_with(kSharedPreamble);
  if (is_shared) function.preamble = definition.preamble;
  const std::string own = is_shared ? "" : definition.preamble;
  // The text decides the names in it.
  const std::string text = definition_of(definition, types, "", own);
  function.key = hash128(function.name + '\0' + function.preamble + '\0' + text);
  const std::string number = to_string(function.key);
  function.call = "user_" + number;
  function.space = "cupola_user_" + number;
  function.declaration = declaration_of(function, specifiers_of(definition));
  function.definition = definition_of(definition, types, function.space, own);
  function.has_complex = std::any_of(types.begin(), types.end(), is_complex) ||
                         mentions_complex(function.preamble + text);
  function.may_loop =
      may_loop(definition.operation) || may_loop(definition.preamble) || has_inner_functions(own);
  function.is_short = is_short_body(definition.operation) && !is_shared;
  return function;
}

std::vector<UserFunction> make_user_functions(const UserDefinition& definition,
                                              std::span<const DType> types) {
  if (definition.is_reduction) return reduction_functions(definition, types);
  return {make_user_function(definition, types)};
}

bool assigns_output(const UserDefinition& definition) {
  if (definition.outputs.size() != 1) return false;
  std::vector<std::string_view> words =
      source_words(definition.is_reduction ? definition.post_map : definition.operation);
  if (!words.empty() && words.back() == ";") words.pop_back();
  const std::string_view name = definition.outputs.front().name;
  const auto is_more = [&](std::string_view word) { return word == name || word == ";"; };
  return words.size() > 2 && words[0] == name && words[1] == "=" && words[2] != "=" &&
         std::none_of(words.begin() + 2, words.end(), is_more);
}

UserText user_function_text(std::span<const UserFunction* const> functions) {
  UserText text;
  text.prelude = cuda_header_text(headers_for(std::any_of(
      functions.begin(), functions.end(), [](const auto* each) { return each->has_complex; })));
  for (const UserFunction* function : functions) {
    for (const std::string& macro : macros_in(function->definition)) {
      text.text += fmt::format("#ifdef {0}\n#error {0} is defined already\n#endif\n", macro);
    }
    text.text += function->declaration + function->preamble + "\n" + function->definition;
  }
  return text;
}

std::string user_declarations(const KernelPlan& plan) {
  std::string text;
  for (const UserFunction* function : functions_of(plan)) text += function->declaration;
  return text;
}

std::string user_definitions(const KernelPlan& plan) {
  std::string text;
  std::vector<std::string_view> preambles;
  for (const UserFunction* function : functions_of(plan)) {
    const std::string_view preamble = function->preamble;
    if (std::find(preambles.begin(), preambles.end(), preamble) == preambles.end()) {
      preambles.push_back(preamble);
      if (!preamble.empty()) text += function->preamble + "\n";
    }
    text += function->definition;
  }
  return text;
}

std::vector<std::string_view> user_headers(const KernelPlan& plan) {
  if (plan.calls.empty()) return {};
  return headers_for(std::any_of(plan.calls.begin(), plan.calls.end(),
                                 [](const UserStep& call) { return call.function->has_complex; }));
}

}  // namespace cupola
