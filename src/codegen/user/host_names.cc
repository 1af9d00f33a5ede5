#include "codegen/user/host_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "codegen/user/user_words.h"

namespace cupola {
namespace {

constexpr std::string_view kHostTypes[] = {
    "int8_t",        "int16_t",        "int32_t",        "int64_t",        "uint8_t",
    "uint16_t",      "uint32_t",       "uint64_t",       "int_fast8_t",    "int_fast16_t",
    "int_fast32_t",  "int_fast64_t",   "uint_fast8_t",   "uint_fast16_t",  "uint_fast32_t",
    "uint_fast64_t", "int_least8_t",   "int_least16_t",  "int_least32_t",  "int_least64_t",
    "uint_least8_t", "uint_least16_t", "uint_least32_t", "uint_least64_t", "intptr_t",
    "uintptr_t",     "intmax_t",       "uintmax_t",      "u_int8_t",       "u_int16_t",
    "u_int32_t",     "u_int64_t",      "ushort",         "uint",           "ulong",
    "float_t",       "double_t",       "ssize_t",        "quad_t",         "u_quad_t"};

using Words = std::vector<std::string_view>;

bool is_type(std::string_view word) {
  return std::find(std::begin(kHostTypes), std::end(kHostTypes), word) != std::end(kHostTypes);
}

// How many more conditions the directive at `k` stands under.
int conditions_begun(const Words& words, std::size_t k) {
  if (words[k] != "#" || k + 1 == words.size()) return 0;
  return words[k + 1].starts_with("if") ? 1 : words[k + 1] == "endif" ? -1 : 0;
}

// "typedef ... NAME;" and "using NAME = ...".
Words declared_types(const Words& words) {
  Words declared;
  bool is_typedef = false;
  int conditions = 0;
  for (std::size_t k = 0; k + 1 < words.size(); ++k) {
    conditions += conditions_begun(words, k);
    is_typedef = words[k] == "typedef" || (is_typedef && words[k] != ";");
    if (conditions > 0 || !is_type(words[k])) continue;
    const bool by_typedef = is_typedef && (words[k + 1] == ";" || words[k + 1] == ",");
    const bool by_using = k > 0 && words[k - 1] == "using" && words[k + 1] == "=";
    if (by_typedef || by_using) declared.push_back(words[k]);
  }
  return declared;
}

bool includes_headers(const Words& words) {
  for (std::size_t k = 0; k + 1 < words.size(); ++k) {
    if (words[k] == "#" && words[k + 1] == "include") return true;
  }
  return false;
}

}  // namespace

std::string host_name_directives(std::string_view text) {
  const Words words = source_words(text);
  if (includes_headers(words)) return "";
  Words names = declared_types(words);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::string directives;
  for (const std::string_view name : names) {
    directives += fmt::format("#define {0} cupola_own_{0}\n", name);
  }
  return directives;
}

}  // namespace cupola
