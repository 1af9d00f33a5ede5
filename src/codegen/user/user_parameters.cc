// Parameter lists of users' kernels, and the types that a call gives them.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

#include "codegen/user/user_kernel.h"
#include "cupola/error.h"

namespace cupola {
namespace {

bool is_letter_type(std::string_view type) {
  return type.size() == 1 && std::isalpha(static_cast<unsigned char>(type[0])) != 0;
}

bool is_identifier(std::string_view name) {
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
         std::all_of(name.begin(), name.end(), is_word);
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  constexpr std::string_view kSpace = " \t\r\n";
  for (std::size_t at = text.find_first_not_of(kSpace); at != text.npos;
       at = text.find_first_not_of(kSpace, at)) {
    const std::size_t end = std::min(text.find_first_of(kSpace, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

UserParameter parse_parameter(std::string_view part, bool is_input) {
  const std::vector<std::string_view> words = words_of(part);
  const auto refuse = [part](const std::string& why) {
    throw ValueError(fmt::format("parameter '{}': {}", part, why));
  };
  if (words.size() < 2) refuse("it needs a type and a name, as in 'float32 x' or 'raw T y'");
  UserParameter parameter;
  parameter.type = words[words.size() - 2];
  parameter.name = words.back();
  parameter.is_const = is_input;
  for (std::size_t i = 0; i + 2 < words.size(); ++i) {
    if (words[i] == "raw") {
      parameter.is_raw = true;
    } else if (words[i] == "_non_const") {
      parameter.is_const = false;
    } else {
      refuse(fmt::format("unknown word '{}'; only 'raw' may stand before the type", words[i]));
    }
  }
  if (!is_letter_type(parameter.type)) {
    parameter.dtype = find_user_type(parameter.type);
    if (!parameter.dtype) {
      refuse(
          fmt::format("unknown type '{}'; use a NumPy name such as float32, or one letter for a "
                      "type that the arguments decide",
                      parameter.type));
    }
  }
  if (!is_identifier(parameter.name)) refuse(fmt::format("'{}' is no name", parameter.name));
  if (parameter.name == "i" || parameter.name.starts_with('_')) {
    refuse(
        fmt::format("the name '{}' is reserved: i and names that begin with an underscore are the "
                    "kernel's own",
                    parameter.name));
  }
  return parameter;
}

[[noreturn]] void refuse_type(const UserParameter& parameter, DType given, std::string_view wanted,
                              const std::string& why) {
  throw TypeError(fmt::format("{} is an array of {}, but {} {}; convert it with astype",
                              parameter.name, name_of(given), why, wanted));
}

// What is known of the letters of one call.
class Letters {
 public:
  void decide(const UserParameter& parameter, DType dtype) {
    const auto [found, is_new] = known_.try_emplace(parameter.type[0], Known{dtype, &parameter});
    if (!is_new && found->second.dtype != dtype) {
      refuse_type(parameter, dtype, name_of(found->second.dtype),
                  fmt::format("{} is also the type of {}, which has", parameter.type,
                              found->second.by->name));
    }
  }
  std::optional<DType> find(const UserParameter& parameter) const {
    const auto found = known_.find(parameter.type[0]);
    if (found == known_.end()) return std::nullopt;
    return found->second.dtype;
  }

 private:
  struct Known {
    DType dtype;
    const UserParameter* by;
  };
  std::map<char, Known> known_;
};

// Letters that only scalars have take the type of the scalars together.
void decide_by_scalars(const UserDefinition& definition,
                       std::span<const UserArgumentType> arguments, Letters& letters) {
  for (std::size_t i = 0; i < definition.inputs.size(); ++i) {
    const UserParameter& parameter = definition.inputs[i];
    if (!parameter.is_template() || letters.find(parameter)) continue;
    std::vector<DType> typed;
    std::vector<WeakKind> weak;
    for (std::size_t k = i; k < definition.inputs.size(); ++k) {
      if (definition.inputs[k].type != parameter.type) continue;
      if (arguments[k].weak) {
        weak.push_back(*arguments[k].weak);
      } else {
        typed.push_back(*arguments[k].dtype);
      }
    }
    letters.decide(parameter, result_type(typed, weak));
  }
}

}  // namespace

std::optional<DType> find_user_type(std::string_view name) {
  if (name.size() > 1) {
    if (const auto found = find_dtype(name)) return found;
  }
  struct Alias {
    std::string_view name;
    DType dtype;
  };
  constexpr Alias kAliases[] = {
      {"bool_", DType::bool_},        {"byte", DType::int8},         {"ubyte", DType::uint8},
      {"short", DType::int16},        {"ushort", DType::uint16},     {"intc", DType::int32},
      {"uintc", DType::uint32},       {"int", DType::int64},         {"int_", DType::int64},
      {"intp", DType::int64},         {"long", DType::int64},        {"longlong", DType::int64},
      {"uint", DType::uint64},        {"uintp", DType::uint64},      {"ulong", DType::uint64},
      {"ulonglong", DType::uint64},   {"half", DType::float16},      {"single", DType::float32},
      {"float", DType::float64},      {"double", DType::float64},    {"csingle", DType::complex64},
      {"complex", DType::complex128}, {"cdouble", DType::complex128}};
  for (const Alias& alias : kAliases) {
    if (alias.name == name) return alias.dtype;
  }
  return std::nullopt;
}

std::string_view user_type_text(DType dtype) {
  constexpr std::array<std::string_view, kDTypeCount> kTexts{
      "bool",         "signed char",    "unsigned char",      "short",   "unsigned short", "int",
      "unsigned int", "long long",      "unsigned long long", "float16", "bfloat16",       "float",
      "double",       "complex<float>", "complex<double>"};
  return kTexts[static_cast<std::size_t>(dtype)];
}

std::vector<UserParameter> parse_user_parameters(std::string_view list, bool are_inputs) {
  std::vector<UserParameter> parameters;
  if (words_of(list).empty()) return parameters;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    parameters.push_back(parse_parameter(list.substr(at, end - at), are_inputs));
    at = end + 1;
  }
  return parameters;
}

void UserDefinition::check() const {
  if (!is_identifier(name)) throw ValueError(fmt::format("'{}' is no name for a kernel", name));
  for (std::size_t i = 0; i < count(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (parameter(i).name == parameter(k).name) {
        throw ValueError(
            fmt::format("{}: two parameters have the name '{}'", name, parameter(i).name));
      }
    }
  }
}

std::vector<DType> resolve_user_types(const UserDefinition& definition,
                                      std::span<const UserArgumentType> arguments) {
  Letters letters;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const UserParameter& parameter = definition.parameter(i);
    if (!arguments[i].is_array) continue;
    if (parameter.is_template()) {
      letters.decide(parameter, *arguments[i].dtype);
    } else if (*parameter.dtype != *arguments[i].dtype) {
      refuse_type(parameter, *arguments[i].dtype, name_of(*parameter.dtype),
                  fmt::format("the parameter '{} {}' of {} takes", parameter.type, parameter.name,
                              definition.name));
    }
  }
  decide_by_scalars(definition, arguments, letters);
  std::vector<DType> types;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const UserParameter& parameter = definition.parameter(i);
    const auto found = parameter.is_template() ? letters.find(parameter) : parameter.dtype;
    if (!found) {
      throw TypeError(
          fmt::format("{}: no argument decides the type {} of the output {}; give the output array",
                      definition.name, parameter.type, parameter.name));
    }
    types.push_back(*found);
  }
  return types;
}

}  // namespace cupola
