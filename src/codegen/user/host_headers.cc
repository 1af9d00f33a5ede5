#include "codegen/user/host_headers.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/user/user_words.h"

namespace cupola {
namespace {

struct HostHeader {
  std::string_view name;
  // Between spaces: names, beginnings of names (name*), and names that end with a digit (name#).
  std::string_view names;
};

constexpr HostHeader kHeaders[] = {
    {"bessel.cuh", "j0 j1 jn y0 y1 yn cyl_bessel*"},
    {"conversions.cuh", "__float* __double* __int* __uint* __ll* __ull* __longlong* __hilo*"},
    {"integers.cuh",
     "__popc* __clz* __ffs* __fns __nv_bswap* __brev* __byte_perm __funnelshift* __mul* __umul*"
     " __hadd __rhadd __uhadd __urhadd __sad __usad __dp*"},
    {"normal_distribution.cuh", "normcdf* erfinv* erfcinv* erfcx*"},
    {"packed_integers.cuh", "__v*"},
    {"real_functions.cuh",
     "rsqrt* rcbrt* exp10* fdivide* sincos* sinpi* cospi* norm normf norm3d* norm4d* rnorm* "
     "rhypot* __saturate*"
     " __fdividef __exp* __log* __sin* __cos* __tan* __pow*"},
    {"rounded_arithmetic.cuh",
     "__fadd* __fsub* __fmul* __fdiv_* __frcp* __fsqrt* __frsqrt* __fma* __dadd* __dsub* __dmul*"
     " __ddiv* __drcp* __dsqrt*"},
    {"vector_types.cuh",
     "make_* dim3 char# uchar# short# ushort# int# uint# long# ulong# longlong# ulonglong# float#"
     " double# long4_* ulong4_* longlong4_* ulonglong4_* double4_*"},
};

bool matches(std::string_view word, std::string_view pattern) {
  const std::string_view start = pattern.substr(0, pattern.size() - 1);
  if (pattern.ends_with('*')) return word.starts_with(start);
  if (!pattern.ends_with('#')) return word == pattern;
  return word.size() == pattern.size() && word.starts_with(start) && word.back() >= '1' &&
         word.back() <= '4';
}

bool has_name(const HostHeader& header, std::string_view word) {
  std::string_view rest = header.names;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    if (matches(word, rest.substr(0, end))) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

bool may_hide_names(std::span<const std::string_view> words) {
  for (std::size_t k = 0; k + 1 < words.size(); ++k) {
    if (words[k] == "#" && (words[k + 1] == "include" || words[k + 1] == "#")) return true;
  }
  return false;
}

std::vector<std::string_view> words_of(std::string_view text,
                                       std::span<const std::string> options) {
  std::vector<std::string_view> words = source_words(text);
  for (const std::string& option : options) {
    for (const std::string_view word : source_words(option)) words.push_back(word);
  }
  return words;
}

}  // namespace

std::string host_includes(std::string_view text, std::span<const std::string> options) {
  // libstdc++'s own switch.
  constexpr std::string_view kNoSpecialFunctions =
      "#if __has_include(<bits/c++config.h>)\n#include <bits/c++config.h>\n"
      "#undef _GLIBCXX_USE_STD_SPEC_FUNCS\n#endif\n";
  constexpr std::string_view kIncludes =
      "#include <cmath>\n#include <cstdint>\n#include <cstring>\n#include <math.h>\n"
      "#include <stddef.h>\n#include <stdint.h>\n#include <type_traits>\n"
      "using std::memcpy;\nusing std::memset;\nusing std::abs;\n";
  const std::vector<std::string_view> words = words_of(text, options);
  const bool needs_all = std::any_of(words.begin(), words.end(), [](std::string_view word) {
    return word == "std" || word == "include";
  });
  return fmt::format("{}{}", needs_all ? "" : kNoSpecialFunctions, kIncludes);
}

std::vector<std::string_view> host_headers(std::string_view text,
                                           std::span<const std::string> options) {
  const std::vector<std::string_view> words = words_of(text, options);
  const bool needs_all = may_hide_names(words);
  std::vector<std::string_view> headers{"language.cuh"};
  for (const HostHeader& header : kHeaders) {
    const auto is_of_header = [&](std::string_view word) { return has_name(header, word); };
    if (needs_all || std::any_of(words.begin(), words.end(), is_of_header)) {
      headers.push_back(header.name);
    }
  }
  return headers;
}

}  // namespace cupola
