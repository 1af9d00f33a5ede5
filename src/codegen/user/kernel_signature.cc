#include "codegen/user/kernel_signature.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>
#include <utility>

namespace cupola {
namespace {

using Tokens = std::vector<std::string>;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Where the comment, literal or directive that begins at `at` ends; `at` if none begins there.
std::size_t end_of_skipped(std::string_view text, std::size_t at) {
  const auto after = [&](std::string_view mark, std::size_t from) {
    const std::size_t found = text.find(mark, from);
    return found == std::string_view::npos ? text.size() : found + mark.size();
  };
  if (text.substr(at, 2) == "//") return after("\n", at);
  if (text.substr(at, 2) == "/*") return after("*/", at + 2);
  if (text[at] == '#') {  // a directive, with lines that are continued
    std::size_t end = after("\n", at);
    while (end >= 2 && end < text.size() && text[end - 2] == '\\') end = after("\n", end);
    return end;
  }
  if (text[at] != '"' && text[at] != '\'') return at;
  std::size_t end = at + 1;
  while (end < text.size() && text[end] != text[at]) end += text[end] == '\\' ? 2 : 1;
  return std::min(end + 1, text.size());
}

// Words, numbers and "::" as one token each, all else by character.
Tokens tokens_of(std::string_view text) {
  Tokens tokens;
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t skipped = end_of_skipped(text, at); skipped != at) {
      at = skipped;
    } else if (std::isspace(static_cast<unsigned char>(text[at])) != 0) {
      ++at;
    } else {
      std::size_t end = at + 1;
      if (is_word(text[at])) {
        while (end < text.size() && is_word(text[end])) ++end;
      } else if (text.substr(at, 2) == "::") {
        ++end;
      }
      tokens.emplace_back(text.substr(at, end - at));
      at = end;
    }
  }
  return tokens;
}

bool is_one_of(const std::string& token, std::initializer_list<const char*> list) {
  return std::find(list.begin(), list.end(), token) != list.end();
}

// The parts between top-level commas.
std::vector<Tokens> split(const Tokens& tokens) {
  std::vector<Tokens> parts;
  if (tokens.empty()) return parts;
  parts.emplace_back();
  int depth = 0;
  for (const std::string& token : tokens) {
    if (is_one_of(token, {"(", "[", "<", "{"})) ++depth;
    if (is_one_of(token, {")", "]", ">", "}"})) --depth;
    if (token == "," && depth == 0) {
      parts.emplace_back();
    } else {
      parts.back().push_back(token);
    }
  }
  return parts;
}

// The index of the token that closes what is opened at `open`; the size where none does.
std::size_t closing(const Tokens& tokens, std::size_t open) {
  const std::string opener = tokens[open];
  const std::string closer = opener == "(" ? ")" : opener == "<" ? ">" : "]";
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    if (tokens[i] == opener) ++depth;
    if (tokens[i] == closer && --depth == 0) return i;
  }
  return tokens.size();
}

Tokens between(const Tokens& tokens, std::size_t open, std::size_t close) {
  return {tokens.begin() + static_cast<std::ptrdiff_t>(open) + 1,
          tokens.begin() + static_cast<std::ptrdiff_t>(close)};
}

std::string joined(const Tokens& tokens) {
  std::string text;
  for (const std::string& token : tokens) {
    if (!text.empty() && is_word(text.back()) && is_word(token.front())) text += ' ';
    if (!text.empty() && is_one_of(std::string(1, text.back()), {"*", "&", ","}) &&
        is_word(token.front())) {
      text += ' ';
    }
    text += token;
  }
  return text;
}

// "unsigned int" and the like in any order of its words.
std::optional<DType> integer_type(const Tokens& words) {
  const auto count = [&](const char* word) { return std::count(words.begin(), words.end(), word); };
  for (const std::string& word : words) {
    if (!is_one_of(word, {"unsigned", "signed", "char", "short", "int", "long"})) return {};
  }
  const bool is_unsigned = count("unsigned") > 0;
  if (count("char") > 0) return is_unsigned ? DType::uint8 : DType::int8;
  if (count("short") > 0) return is_unsigned ? DType::uint16 : DType::int16;
  if (count("long") > 0) return is_unsigned ? DType::uint64 : DType::int64;
  return is_unsigned ? DType::uint32 : DType::int32;
}

std::optional<DType> named_type(const std::string& name) {
  static constexpr std::pair<std::string_view, DType> kTypes[] = {
      {"bool", DType::bool_},
      {"int8_t", DType::int8},
      {"uint8_t", DType::uint8},
      {"int16_t", DType::int16},
      {"uint16_t", DType::uint16},
      {"ushort", DType::uint16},
      {"int32_t", DType::int32},
      {"uint32_t", DType::uint32},
      {"uint", DType::uint32},
      {"int64_t", DType::int64},
      {"ptrdiff_t", DType::int64},
      {"ssize_t", DType::int64},
      {"intptr_t", DType::int64},
      {"uint64_t", DType::uint64},
      {"size_t", DType::uint64},
      {"uintptr_t", DType::uint64},
      {"ulong", DType::uint64},
      {"half", DType::float16},
      {"__half", DType::float16},
      {"float16", DType::float16},
      {"__nv_bfloat16", DType::bfloat16},
      {"nv_bfloat16", DType::bfloat16},
      {"float", DType::float32},
      {"double", DType::float64},
      {"complex<float>", DType::complex64},
      {"cuComplex", DType::complex64},
      {"cuFloatComplex", DType::complex64},
      {"complex<double>", DType::complex128},
      {"cuDoubleComplex", DType::complex128},
  };
  const auto found = std::find_if(std::begin(kTypes), std::end(kTypes),
                                  [&](const auto& type) { return type.first == name; });
  if (found == std::end(kTypes)) return {};
  return found->second;
}

std::optional<DType> type_of(Tokens words) {
  if (words.empty()) return {};
  if (auto integer = integer_type(words)) return integer;
  // std::, cuda::std::, thrust:: and a leading :: say nothing new.
  while (!words.empty() && is_one_of(words.front(), {"std", "cuda", "thrust", "::"})) {
    words.erase(words.begin());
  }
  return named_type(joined(words));
}

using Substitution = std::map<std::string, Tokens>;

Tokens substituted(const Tokens& tokens, const Substitution& types) {
  Tokens result;
  for (const std::string& token : tokens) {
    const auto found = types.find(token);
    if (found == types.end()) {
      result.push_back(token);
    } else {
      result.insert(result.end(), found->second.begin(), found->second.end());
    }
  }
  return result;
}

// Takes the declared name off the end of what names a type and it.
void drop_name(Tokens& tokens) {
  if (tokens.size() < 2) return;
  const std::string& last = tokens.back();
  const bool is_name = is_word(last.front()) && tokens[tokens.size() - 2] != "::" &&
                       !is_one_of(last, {"int", "long", "char", "short", "unsigned", "signed"});
  if (is_name) tokens.pop_back();
}

KernelParameter parameter_of(Tokens tokens, const Substitution& types) {
  const auto equals = std::find(tokens.begin(), tokens.end(), "=");
  tokens.erase(equals, tokens.end());
  KernelParameter result;
  const auto bracket = std::find(tokens.begin(), tokens.end(), "[");
  result.text = joined(tokens);
  const bool is_array = bracket != tokens.end();
  tokens.erase(bracket, tokens.end());
  std::erase_if(tokens, [](const std::string& token) {
    return is_one_of(token, {"__restrict__", "__restrict", "restrict", "volatile", "struct",
                             "typename", "__grid_constant__"});
  });
  const auto star = std::find(tokens.begin(), tokens.end(), "*");
  const auto stars = std::count(tokens.begin(), tokens.end(), "*") + (is_array ? 1 : 0);
  Tokens type(tokens.begin(), star);
  if (star == tokens.end()) drop_name(type);
  const auto consts = std::erase(type, "const");
  type = substituted(type, types);
  result.is_pointer = stars > 0;
  result.is_const = stars == 1 && (consts > 0 || std::erase(type, "const") > 0);
  result.is_void = stars == 1 && joined(type) == "void";
  if (stars <= 1) result.dtype = type_of(type);
  return result;
}

struct Name {
  std::string base;               // without namespaces and template arguments
  std::vector<Tokens> arguments;  // of a template
};

Name name_of(std::string_view text) {
  Tokens tokens = tokens_of(text);
  Name result;
  const auto open = std::find(tokens.begin(), tokens.end(), "<");
  if (open != tokens.end()) {
    const auto at = static_cast<std::size_t>(open - tokens.begin());
    result.arguments = split(between(tokens, at, closing(tokens, at)));
    tokens.erase(open, tokens.end());
  }
  if (!tokens.empty()) result.base = tokens.back();
  return result;
}

// What the template header before `global` names: "T" -> the argument in its place.
Substitution template_types(const Tokens& tokens, std::size_t global, const Name& name) {
  std::size_t begin = global;
  while (begin > 0 && !is_one_of(tokens[begin - 1], {";", "}", "{"})) --begin;
  if (begin + 1 >= global || tokens[begin] != "template" || tokens[begin + 1] != "<") return {};
  const auto parameters = split(between(tokens, begin + 1, closing(tokens, begin + 1)));
  Substitution types;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    Tokens parameter = parameters[i];
    parameter.erase(std::find(parameter.begin(), parameter.end(), "="), parameter.end());
    if (parameter.empty()) continue;
    // A parameter without an argument stands for no known type.
    types[parameter.back()] = i < name.arguments.size() ? name.arguments[i] : Tokens{"?"};
  }
  return types;
}

// The index of the "(" of the parameters of the function that is declared at `global`.
std::size_t parameter_list(const Tokens& tokens, std::size_t global) {
  std::size_t i = global + 1;
  while (i < tokens.size() && !is_one_of(tokens[i], {";", "{"})) {
    if (tokens[i] == "(") {
      if (!is_one_of(tokens[i - 1], {"__launch_bounds__", "__attribute__", "__cluster_dims__",
                                     "__block_size__", "__maxnreg__"})) {
        return i;
      }
      i = closing(tokens, i);
    }
    ++i;
  }
  return tokens.size();
}

bool same_parameters(const KernelSignature& a, const KernelSignature& b) {
  return std::equal(a.parameters.begin(), a.parameters.end(), b.parameters.begin(),
                    b.parameters.end(), [](const auto& x, const auto& y) {
                      return x.is_pointer == y.is_pointer && x.is_const == y.is_const &&
                             x.is_void == y.is_void && x.dtype == y.dtype;
                    });
}

}  // namespace

std::string KernelSignature::to_string(std::string_view name) const {
  std::string text(name);
  text += '(';
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (i > 0) text += ", ";
    text += parameters[i].text;
  }
  return text + ')';
}

std::optional<KernelSignature> find_kernel_signature(std::string_view text, std::string_view name) {
  const Tokens tokens = tokens_of(text);
  const Name wanted = name_of(name);
  std::optional<KernelSignature> found;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] != "__global__") continue;
    const std::size_t open = parameter_list(tokens, i);
    if (open >= tokens.size() || tokens[open - 1] != wanted.base) continue;
    const std::size_t close = closing(tokens, open);
    if (close == tokens.size()) continue;
    const Substitution types = template_types(tokens, i, wanted);
    KernelSignature signature;
    for (const Tokens& parameter : split(between(tokens, open, close))) {
      signature.parameters.push_back(parameter_of(parameter, types));
    }
    if (signature.parameters.size() == 1 && signature.parameters.front().text == "void") {
      signature.parameters.clear();
    }
    if (found && !same_parameters(*found, signature)) return {};  // overloads
    found = std::move(signature);
  }
  return found;
}

}  // namespace cupola
