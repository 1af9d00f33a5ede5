#include "codegen/user/user_reduction.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "codegen/user/user_function.h"
#include "codegen/user/user_words.h"

namespace cupola {
namespace {

// The parameter of a letter's type that decides it.
std::optional<std::size_t> find_letter(const UserDefinition& definition, std::string_view letter) {
  for (std::size_t i = 0; i < definition.count(); ++i) {
    const UserParameter& parameter = definition.parameter(i);
    if (parameter.is_template() && parameter.type == letter) return i;
  }
  return std::nullopt;
}

// The type of elements that a C++ type is.
std::optional<DType> find_cpp_type(std::string_view text) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (user_type_text(dtype) == text) return dtype;
  }
  return std::nullopt;
}

DType partial_dtype(const UserDefinition& definition, std::span<const DType> types) {
  const std::string type = user_partial_type(definition);
  if (const auto letter = find_letter(definition, type)) return types[*letter];
  return find_cpp_type(type).value();
}

// Words that the reduction's own kernel gives a meaning: places of elements, threads, partial
// results. Functions of the language have two underscores.
bool is_of_the_kernel(std::string_view word) {
  return word.starts_with('_') && !word.starts_with("__") && word != "_type_reduce";
}

bool is_pointwise_part(const std::string& text) {
  const std::vector<std::string_view> words = source_words(text);
  return is_pointwise_body(text) && std::none_of(words.begin(), words.end(), is_of_the_kernel);
}

UserParameter value_parameter(std::string name, DType dtype, bool is_const) {
  return {.name = std::move(name), .type = {}, .dtype = dtype, .is_const = is_const};
}

// A function of values, in the text of which all types of the reduction have their names.
class Parts {
 public:
  Parts(const UserDefinition& definition, std::span<const DType> types)
      : definition_(definition), types_(types), partial_(partial_dtype(definition, types)) {
    std::string letters;
    for (std::size_t i = 0; i < definition.count(); ++i) {
      const UserParameter& parameter = definition.parameter(i);
      if (!parameter.is_template() || letters.find(parameter.type) != letters.npos) continue;
      letters += parameter.type;
      names_ += fmt::format("typedef {} {};\n", user_type_text(types[i]), parameter.type);
    }
    names_ += fmt::format("typedef {} _type_reduce;\n", user_type_text(partial_));
  }

  UserFunction map() const {
    UserDefinition part = part_of("_partial", partial_);
    for (std::size_t i = 0; i < definition_.input_count(); ++i) add_input(part, i);
    part.operation = converted(definition_.map);
    return function_of(part);
  }
  UserFunction combine() const {
    UserDefinition part = part_of("_partial", partial_);
    part.name = definition_.name;
    for (const char* name : {"a", "b"}) {
      part.inputs.push_back(value_parameter(name, partial_, false));
    }
    part.operation = converted(definition_.reduce);
    UserFunction function = function_of(part);
    function.combines = true;
    return function;
  }
  UserFunction finish() const {
    UserDefinition part;
    part.inputs.push_back(value_parameter("a", partial_, false));
    for (const std::size_t i : finishing_inputs(definition_)) add_input(part, i);
    for (std::size_t i = definition_.input_count(); i < definition_.count(); ++i) {
      part.outputs.push_back(value_parameter(definition_.parameter(i).name, types_[i], false));
    }
    part.operation = definition_.post_map;
    return function_of(part);
  }

 private:
  static UserDefinition part_of(const char* output, DType dtype) {
    UserDefinition part;
    part.outputs.push_back(value_parameter(output, dtype, false));
    return part;
  }
  void add_input(UserDefinition& part, std::size_t i) const {
    part.inputs.push_back(value_parameter(definition_.inputs[i].name, types_[i], true));
  }
  static std::string converted(const std::string& expression) {
    return "_partial = static_cast<_type_reduce>(\n" + expression + "\n)";
  }
  UserFunction function_of(UserDefinition& part) const {
    part.preamble = names_ + definition_.preamble;
    std::vector<DType> types;
    for (std::size_t i = 0; i < part.count(); ++i) types.push_back(*part.parameter(i).dtype);
    return make_user_function(part, types);
  }

  const UserDefinition& definition_;
  const std::span<const DType> types_;
  const DType partial_;
  std::string names_;
};

}  // namespace

std::string user_partial_type(const UserDefinition& definition) {
  if (definition.reduce_type.empty()) {
    const UserParameter& output = definition.outputs.front();
    return output.is_template() ? output.type : std::string(user_type_text(*output.dtype));
  }
  if (find_letter(definition, definition.reduce_type)) return definition.reduce_type;
  // NumPy's names besides those that are C++'s own.
  const auto dtype = find_dtype(definition.reduce_type);
  return dtype ? std::string(user_type_text(*dtype)) : definition.reduce_type;
}

bool is_pointwise_reduction(const UserDefinition& definition) {
  const std::string type = user_partial_type(definition);
  return (find_letter(definition, type) || find_cpp_type(type)) &&
         is_pointwise_part(definition.map) && is_pointwise_part(definition.reduce) &&
         is_pointwise_part(definition.post_map);
}

std::vector<UserFunction> reduction_functions(const UserDefinition& definition,
                                              std::span<const DType> types) {
  const Parts parts(definition, types);
  return {parts.map(), parts.combine(), parts.finish()};
}

std::vector<std::size_t> finishing_inputs(const UserDefinition& definition) {
  const std::vector<std::string_view> words = source_words(definition.post_map);
  std::vector<std::size_t> inputs;
  for (std::size_t i = 0; i < definition.input_count(); ++i) {
    const std::string_view name = definition.inputs[i].name;
    // The combined value has this name there.
    if (name == "a") continue;
    if (std::find(words.begin(), words.end(), name) != words.end()) inputs.push_back(i);
  }
  return inputs;
}

}  // namespace cupola
