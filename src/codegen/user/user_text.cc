#include "codegen/user/user_text.h"

#include <fmt/format.h>

#include "base/threads/lazy.h"
#include "codegen/cuda/cuda_headers.h"
#include "codegen/user/host_headers.h"
#include "codegen/user/host_names.h"

namespace cupola {
namespace {

std::string type_of(const UserDefinition& definition, const UserVariant& variant, std::size_t i) {
  const UserParameter& parameter = definition.parameter(i);
  if (parameter.is_template()) return parameter.type;
  return std::string(user_type_text(variant.arguments[i].dtype));
}

std::vector<std::string_view> headers_of_arrays(bool has_complex) {
  if (has_complex) return {"user_kernel.cuh", "user_complex.cuh"};
  return {"user_kernel.cuh"};
}

const std::string& cuda_prelude(bool has_complex) {
  static constinit Lazy<const std::string> preludes[2];
  return preludes[has_complex].get(
      [&] { return cuda_header_text(headers_of_arrays(has_complex)); });
}

// The device math has complex numbers and all that is not CUDA's own.
bool mentions_complex(const UserDefinition& definition, const UserVariant& variant) {
  for (const UserArgument& argument : variant.arguments) {
    if (is_complex(argument.dtype)) return true;
  }
  for (const std::string* text :
       {&definition.preamble, &definition.operation, &definition.loop_prep, &definition.after_loop,
        &definition.map, &definition.reduce, &definition.post_map, &definition.reduce_type}) {
    if (text->find("complex") != text->npos || text->find("cupola_device") != text->npos) {
      return true;
    }
  }
  return false;
}

std::string elementwise_text(const UserDefinition& definition, const UserVariant& variant,
                             UserTarget target) {
  const bool on_host = target == UserTarget::host;
  const int words = user_word_places(definition, variant).back();
  std::string text = user_type_definitions(definition, variant);
  text += on_host ? fmt::format(
                        "extern \"C\" const unsigned long long {0}_bytes = {1};\n"
                        "extern \"C\" void {0}(const void* _arguments, ptrdiff_t _first, "
                        "ptrdiff_t _last) {{\n  const auto& _words = *static_cast<const "
                        "cupola_user::Words<{2}>*>(_arguments);\n",
                        user_entry(definition, target), 8 * words, words)
                  : fmt::format(
                        "extern \"C\" __global__ void {}(\n    const __grid_constant__ "
                        "cupola_user::Words<{}> _words) {{\n",
                        user_entry(definition, target), words);
  text += fmt::format("  CIndexer<{}, {}> _ind(_words.at[0], _words.at + 1);\n", variant.rank,
                      variant.is_wide);
  text += user_declarations(definition, variant);
  if (!definition.loop_prep.empty()) text += definition.loop_prep + "\n;\n";
  text += on_host
              ? fmt::format(
                    "  const ptrdiff_t _end = min(_last * {0}, _ind.size());\n"
                    "  for (ptrdiff_t i = _first * {0}; i < _end; ++i) {{\n",
                    kHostBlock)
              : "  for (ptrdiff_t i = static_cast<ptrdiff_t>(blockIdx.x) * blockDim.x + "
                "threadIdx.x;\n       i < _ind.size(); i += static_cast<ptrdiff_t>(gridDim.x) * "
                "blockDim.x) {\n";
  text += "    _ind.set(i);\n";
  text += user_elements(definition, variant, true, "_ind.offset");
  text += user_elements(definition, variant, false, "_ind.offset");
  text += definition.operation + "\n;\n  }\n";
  if (!definition.after_loop.empty()) text += definition.after_loop + "\n;\n";
  return text + "}\n";
}

}  // namespace

std::string UserVariant::key() const {
  std::string key{static_cast<char>(rank), static_cast<char>(reduced_rank),
                  static_cast<char>(is_wide)};
  for (const UserArgument& argument : arguments) {
    key += {static_cast<char>(argument.dtype), static_cast<char>(argument.form),
            static_cast<char>(argument.rank), static_cast<char>(argument.is_contiguous)};
  }
  return key;
}

std::string user_entry(const UserDefinition& definition, UserTarget target) {
  // C's own functions have names that a kernel may have as well.
  return target == UserTarget::host ? "cupola_" + definition.name : definition.name;
}

std::vector<int> user_word_places(const UserDefinition& definition, const UserVariant& variant) {
  const int rank = variant.rank + variant.reduced_rank;
  int place = (definition.is_reduction ? kReductionWords : kElementwiseWords) + rank;
  std::vector<int> places;
  for (const UserArgument& argument : variant.arguments) {
    places.push_back(place);
    switch (argument.form) {
      case UserForm::value:
        place += 2;
        break;
      case UserForm::contiguous:
        place += 1;
        break;
      case UserForm::strided:
        place += 1 + rank;
        break;
      case UserForm::raw:
        place += 2 + 2 * argument.rank;
        break;
    }
  }
  places.push_back(place);
  return places;
}

std::string user_type_definitions(const UserDefinition& definition, const UserVariant& variant) {
  std::string text, letters;
  for (std::size_t i = 0; i < definition.count(); ++i) {
    const UserParameter& parameter = definition.parameter(i);
    if (!parameter.is_template() || letters.find(parameter.type) != letters.npos) continue;
    letters += parameter.type;
    text +=
        fmt::format("typedef {} {};\n", user_type_text(variant.arguments[i].dtype), parameter.type);
  }
  return definition.preamble.empty() ? text : text + definition.preamble + "\n";
}

std::string user_declarations(const UserDefinition& definition, const UserVariant& variant) {
  const std::vector<int> places = user_word_places(definition, variant);
  std::string text;
  for (std::size_t i = 0; i < definition.count(); ++i) {
    const UserParameter& parameter = definition.parameter(i);
    const UserArgument& argument = variant.arguments[i];
    const std::string type = type_of(definition, variant, i);
    const char* constant = parameter.is_const ? "const " : "";
    const int place = places[i];
    switch (argument.form) {
      case UserForm::value:
        text +=
            fmt::format("  const {0} {1} = _words.value<{0}>({2});\n", type, parameter.name, place);
        break;
      case UserForm::contiguous:
      case UserForm::strided:
        text += fmt::format("  {0}{1}* const _p_{2} = _words.pointer<{0}{1}>({3});\n", constant,
                            type, parameter.name, place);
        if (argument.form == UserForm::strided) {
          text += fmt::format("  const ptrdiff_t* const _s_{} = _words.at + {};\n", parameter.name,
                              place + 1);
        }
        break;
      case UserForm::raw:
        text += fmt::format(
            "  {0}CArray<{1}, {2}, {3}> {4}(\n      _words.pointer<{1}>({5}), _words.at[{6}], "
            "_words.at + {7}, _words.at + {8});\n",
            constant, type, argument.rank, argument.is_contiguous, parameter.name, place, place + 1,
            place + 2, place + 2 + argument.rank);
        break;
    }
  }
  return text;
}

std::string user_elements(const UserDefinition& definition, const UserVariant& variant,
                          bool of_inputs, const std::string& offset) {
  std::string text;
  const std::size_t first = of_inputs ? 0 : definition.input_count();
  const std::size_t last = of_inputs ? definition.input_count() : definition.count();
  for (std::size_t i = first; i < last; ++i) {
    const UserParameter& parameter = definition.parameter(i);
    const UserForm form = variant.arguments[i].form;
    if (form == UserForm::value || form == UserForm::raw) continue;
    const std::string number =
        form == UserForm::contiguous ? "i" : fmt::format("{}(_s_{})", offset, parameter.name);
    // Inputs are read before anything is written, which may be the same memory.
    text += fmt::format("    {}{}{} = _p_{}[{}];\n", parameter.is_const ? "const " : "",
                        type_of(definition, variant, i),
                        parameter.is_const ? " " + parameter.name : "& " + parameter.name,
                        parameter.name, number);
  }
  return text;
}

std::string host_prelude(std::string_view text, std::string_view declarations,
                         std::span<const std::string> options, bool has_complex) {
  std::vector<std::string_view> headers = host_headers(text, options);
  for (const std::string_view each : headers_of_arrays(has_complex)) headers.push_back(each);
  return host_includes(text, options) + cuda_header_text(headers) +
         host_name_directives(declarations);
}

UserText user_kernel_text(const UserDefinition& definition, const UserVariant& variant,
                          UserTarget target) {
  UserText text;
  text.text = definition.is_reduction ? reduction_text(definition, variant, target)
                                      : elementwise_text(definition, variant, target);
  const bool has_complex = mentions_complex(definition, variant);
  text.prelude = target == UserTarget::cuda ? cuda_prelude(has_complex)
                                            : host_prelude(text.text, definition.preamble,
                                                           definition.options, has_complex);
  return text;
}

}  // namespace cupola
