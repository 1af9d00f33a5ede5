#include "codegen/user/user_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <span>

namespace cupola {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_name(std::string_view word) {
  return is_word(word.front()) && std::isdigit(static_cast<unsigned char>(word.front())) == 0;
}

// Where the comment or literal that begins at `at` ends; `at` if none begins there.
std::size_t end_of_skipped(std::string_view text, std::size_t at) {
  const auto after = [&](std::string_view mark) {
    const std::size_t found = text.find(mark, at + 2);
    return found == text.npos ? text.size() : found + mark.size();
  };
  if (text.substr(at, 2) == "//") return std::min(text.find('\n', at), text.size());
  if (text.substr(at, 2) == "/*") return after("*/");
  if (text[at] != '"' && text[at] != '\'') return at;
  std::size_t end = at + 1;
  while (end < text.size() && text[end] != text[at]) end += text[end] == '\\' ? 2 : 1;
  return std::min(end + 1, text.size());
}

bool is_one_of(std::string_view word, std::span<const std::string_view> list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}
bool begins_with_one_of(std::string_view word, std::span<const std::string_view> list) {
  return std::any_of(list.begin(), list.end(),
                     [word](std::string_view start) { return word.starts_with(start); });
}

// Of threads and blocks, of memory that they share, of the host, of the place in the text.
bool is_of_more_than_elements(std::string_view word) {
  constexpr std::string_view kWords[] = {
      "threadIdx",  "blockIdx",     "blockDim",    "gridDim",         "warpSize",
      "asm",        "printf",       "assert",      "malloc",          "free",
      "new",        "delete",       "clock",       "clock64",         "cooperative_groups",
      "extern",     "goto",         "setjmp",      "volatile",        "_ind",
      "__shared__", "__managed__",  "__global__",  "__LINE__",        "__FILE__",
      "__func__",   "__FUNCTION__", "__COUNTER__", "__cluster_dims__"};
  constexpr std::string_view kStarts[] = {
      "atomic",   "__atomic",    "__sync",  "__shfl",   "__ballot",    "__any",
      "__all",    "__active",    "__match", "__reduce", "__nanosleep", "__threadfence",
      "__trap",   "__brkpt",     "__prof",  "__nv",     "__asm",       "__fns",
      "__launch", "cupola_user", "CUPOLA_", "curand",   "cuda"};
  return is_one_of(word, kWords) || begins_with_one_of(word, kStarts);
}

// Whether `i` is the body's own variable: the compiler says so of the rest.
bool declares_before_use(std::span<const std::string_view> words, std::string_view name) {
  const auto first = std::find(words.begin(), words.end(), name);
  if (first == words.end()) return true;
  return first != words.begin() && is_name(first[-1]) && first[-1] != "else";
}

// The lines of directives, each with those that continue it.
std::vector<std::string> directives_in(std::string_view text) {
  std::vector<std::string> directives;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find('\n', at), text.size());
    const std::size_t first = text.find_first_not_of(" \t", at);
    const bool is_directive = first < end && text[first] == '#';
    while (is_directive && end < text.size() && text[end - 1] == '\\') {
      end = std::min(text.find('\n', end + 1), text.size());
    }
    if (is_directive) directives.emplace_back(text.substr(first, end - first));
    at = end + 1;
  }
  return directives;
}

// Directives that end with the function.
bool is_local_directive(std::string_view directive) {
  constexpr std::string_view kKnown[] = {"define", "if",   "ifdef", "ifndef",
                                         "else",   "elif", "endif"};
  const std::vector<std::string_view> words = source_words(directive);
  if (words.size() < 2) return true;
  if (words[1] == "pragma") return words.size() > 2 && words[2] == "unroll";
  return is_one_of(words[1], kKnown);
}

// CUDA's own functions, which one of a namespace would hide from others of that namespace.
bool is_of_the_language(std::string_view name) {
  // Between spaces.
  constexpr std::string_view kNames =
      " abs min max fmin fmax fabs exp exp2 exp10 expm1 log log2 log10 log1p logb sqrt rsqrt"
      " cbrt rcbrt pow sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh"
      " sinpi cospi floor ceil trunc round rint fmod fma hypot rhypot erf erfc erfinv"
      " erfcinv erfcx lgamma tgamma ldexp frexp modf remainder remquo scalbn scalbln"
      " copysign nextafter isnan isinf isfinite signbit fdim real imag conj arg norm polar"
      " proj norm3d norm4d normcdf normcdfinv j0 j1 jn y0 y1 yn ilogb lrint llrint lround"
      " llround nearbyint labs llabs umin umax llmin llmax ullmin ullmax saturate sincos"
      " sincospi cyl_bessel_i0 cyl_bessel_i1 nan memcpy memset swap"
      " ";
  const auto is_known = [&](std::string_view each) {
    return kNames.find(fmt::format(" {} ", each)) != kNames.npos;
  };
  if (name.starts_with("__")) return true;
  const bool has_suffix = name.ends_with('f') || name.ends_with('l');
  return is_known(name) || (has_suffix && is_known(name.substr(0, name.size() - 1)));
}

// Names before a parenthesis: functions that the text declares, outside of all braces, and those
// that it calls.
struct FunctionNames {
  std::vector<std::string_view> declared, called;
};
FunctionNames functions_in(std::span<const std::string_view> words) {
  FunctionNames names;
  int depth = 0;
  for (std::size_t k = 0; k < words.size(); ++k) {
    if (words[k] == "{") ++depth;
    if (words[k] == "}") --depth;
    if (k == 0 || words[k] != "(" || !is_name(words[k - 1])) continue;
    (depth == 0 ? names.declared : names.called).push_back(words[k - 1]);
  }
  return names;
}

bool declares_functions_of_the_language(std::span<const std::string_view> words) {
  const FunctionNames names = functions_in(words);
  return std::any_of(names.declared.begin(), names.declared.end(), is_of_the_language);
}

}  // namespace

std::vector<std::string_view> source_words(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = end_of_skipped(text, at);
    if (end != at) {
      at = end;
      continue;
    }
    end = at + 1;
    if (is_word(text[at])) {
      while (end < text.size() && is_word(text[end])) ++end;
    }
    const bool is_space = std::isspace(static_cast<unsigned char>(text[at])) != 0;
    if (!is_space) words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

bool is_pointwise_body(std::string_view text) {
  const std::vector<std::string_view> words = source_words(text);
  constexpr std::string_view kOfBodies[] = {"return", "static", "using", "namespace"};
  const bool is_local = std::none_of(words.begin(), words.end(), [&](std::string_view word) {
    return is_of_more_than_elements(word) || is_one_of(word, kOfBodies);
  });
  const std::vector<std::string> directives = directives_in(text);
  return is_local && declares_before_use(words, "i") &&
         std::all_of(directives.begin(), directives.end(), [](const std::string& directive) {
           const std::vector<std::string_view> of = source_words(directive);
           return of.size() > 2 && of[1] == "pragma" && of[2] == "unroll";
         });
}

bool is_pointwise_preamble(std::string_view text) {
  const std::vector<std::string_view> words = source_words(text);
  const std::vector<std::string> directives = directives_in(text);
  return std::none_of(words.begin(), words.end(), is_of_more_than_elements) &&
         !declares_functions_of_the_language(words) &&
         std::all_of(directives.begin(), directives.end(), [](const std::string& directive) {
           const std::vector<std::string_view> of = source_words(directive);
           return is_local_directive(directive) &&
                  std::find(of.begin(), of.end(), "return") == of.end();
         });
}

bool is_short_body(std::string_view text) {
  constexpr std::size_t kMaxWords = 100;
  constexpr std::string_view kCheap[] = {"if",     "min",   "max",   "fmin",  "fmax",  "abs",
                                         "fabs",   "fabsf", "sqrt",  "sqrtf", "T",     "float",
                                         "double", "int",   "floor", "ceil",  "isnan", "bool"};
  if (may_loop(text)) return false;
  const std::vector<std::string_view> words = source_words(text);
  for (std::size_t k = 0; k < words.size(); ++k) {
    const bool is_call = words[k] == "(" && k > 0 && is_name(words[k - 1]);
    if (is_call && !is_one_of(words[k - 1], kCheap)) return false;
  }
  return words.size() <= kMaxWords;
}

bool may_loop(std::string_view text) {
  constexpr std::string_view kLoops[] = {"for", "while", "do"};
  const std::vector<std::string_view> words = source_words(text);
  const FunctionNames names = functions_in(words);
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return is_one_of(word, kLoops); }) ||
         std::any_of(names.called.begin(), names.called.end(),
                     [&](std::string_view name) { return is_one_of(name, names.declared); });
}

std::vector<std::string> macros_in(std::string_view text) {
  std::vector<std::string> macros;
  for (const std::string& directive : directives_in(text)) {
    const std::vector<std::string_view> words = source_words(directive);
    if (words.size() < 3 || words[1] != "define") continue;
    const std::string name(words[2]);
    if (std::find(macros.begin(), macros.end(), name) == macros.end()) macros.push_back(name);
  }
  return macros;
}

}  // namespace cupola
