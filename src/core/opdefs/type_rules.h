#pragma once
// The type rules that the rows of ufuncs.def name, and their expansion into loops at compile time.
// The CPU loops, the CUDA text and the resolution all read the same expansion.

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "core/ufunc.h"

namespace cupola::type_rules {

// `loops` is a list of tokens in the order of the search. A token of one dtype code is a loop
// whose inputs all have that type; a longer token spells inputs and outputs out.
struct TypeRule {
  std::string_view loops;
  // One character per output of a one-letter token: a dtype code, or '=' for the input's type.
  std::string_view outputs = "==";
  // Operands that are all bool are refused, though bool casts safely to other loops.
  bool rejects_boolean = false;
  // Without dtype=, operands that are all bool or integer take the float64 loop.
  bool integers_to_double = false;
  // Float16 and BFloat16 reach the expression as they are, not widened to float.
  bool raw_halves = false;
};

#define CUPOLA_INTEGER_CODES "b B h H i I q Q"
#define CUPOLA_FLOATING_CODES "e E f d"
#define CUPOLA_COMPLEX_CODES "F D"

inline constexpr TypeRule kAny{"? " CUPOLA_INTEGER_CODES " " CUPOLA_FLOATING_CODES
                               " " CUPOLA_COMPLEX_CODES};
inline constexpr TypeRule kNumber{CUPOLA_INTEGER_CODES " " CUPOLA_FLOATING_CODES
                                                       " " CUPOLA_COMPLEX_CODES};
inline constexpr TypeRule kNumberNotBool{.loops = kNumber.loops, .rejects_boolean = true};
inline constexpr TypeRule kAnyReal{"? " CUPOLA_INTEGER_CODES " " CUPOLA_FLOATING_CODES};
inline constexpr TypeRule kReal{CUPOLA_INTEGER_CODES " " CUPOLA_FLOATING_CODES};
inline constexpr TypeRule kInteger{CUPOLA_INTEGER_CODES};
inline constexpr TypeRule kIntegerNotBool{.loops = kInteger.loops, .rejects_boolean = true};
inline constexpr TypeRule kBitwise{"? " CUPOLA_INTEGER_CODES};
inline constexpr TypeRule kBitCount{.loops = kInteger.loops, .outputs = "B"};
inline constexpr TypeRule kFloating{CUPOLA_FLOATING_CODES};
inline constexpr TypeRule kRawFloating{.loops = CUPOLA_FLOATING_CODES, .raw_halves = true};
inline constexpr TypeRule kInexact{CUPOLA_FLOATING_CODES " " CUPOLA_COMPLEX_CODES};
inline constexpr TypeRule kQuotient{.loops = kInexact.loops, .integers_to_double = true};
inline constexpr TypeRule kDouble{"d D"};
inline constexpr TypeRule kMagnitude{"? " CUPOLA_INTEGER_CODES " " CUPOLA_FLOATING_CODES " Ff Dd"};
// Mixed signs of 64 bits have loops of their own, so that the comparison is exact.
inline constexpr TypeRule kCompare{
    .loops = "? " CUPOLA_INTEGER_CODES " qQ? Qq? " CUPOLA_FLOATING_CODES " " CUPOLA_COMPLEX_CODES,
    .outputs = "?"};
inline constexpr TypeRule kPredicate{.loops = kAny.loops, .outputs = "?"};
inline constexpr TypeRule kFloatingPredicate{.loops = CUPOLA_FLOATING_CODES, .outputs = "?"};
inline constexpr TypeRule kScaleByPower{"eie eqe EiE EqE fif fqf did dqd"};
inline constexpr TypeRule kSortDigit{
    .loops = "?BB bBB BBB hBB HBB iBB IBB qBB QBB eBB EBB fBB dBB FBB DBB", .raw_halves = true};
// Position, key, draw.
inline constexpr TypeRule kRandomUint32{"qQQI"};
inline constexpr TypeRule kRandomUint64{"qQQQ"};
inline constexpr TypeRule kRandomFloat32{"qQQf"};
inline constexpr TypeRule kRandomFloat64{"qQQd"};
inline constexpr TypeRule kMultiplyHigh{"Q"};
// Stream, parameters.
inline constexpr TypeRule kRandomReal{"Qdd"};
inline constexpr TypeRule kRandomCount{"Qdq"};
inline constexpr TypeRule kRandomBinomial{"Qqdq"};
inline constexpr TypeRule kRandomHypergeometric{"QQqq"};
inline constexpr TypeRule kPortable{"d"};
inline constexpr TypeRule kMantissaExponent{.loops = CUPOLA_FLOATING_CODES, .outputs = "=i"};

#undef CUPOLA_INTEGER_CODES
#undef CUPOLA_FLOATING_CODES
#undef CUPOLA_COMPLEX_CODES

// The loops of one row.
struct LoopTable {
  static constexpr std::size_t kCapacity = 20;
  std::array<UfuncLoop, kCapacity> loops{};
  std::size_t count = 0;
  constexpr std::span<const UfuncLoop> span() const { return {loops.data(), count}; }
};

constexpr DType dtype_of_code(char code) {
#define CUPOLA_DTYPE_CODE(NAME, CODE, TYPE, KIND) \
  if (code == CODE) return DType::NAME;
  CUPOLA_FOR_EACH_DTYPE(CUPOLA_DTYPE_CODE)
#undef CUPOLA_DTYPE_CODE
  throw "unknown dtype code in a type rule";  // ends the build: rules are constants
}

constexpr UfuncLoop expand_token(const TypeRule& rule, std::string_view token, int input_count,
                                 int output_count) {
  UfuncLoop loop{};
  loop.input_count = static_cast<std::uint8_t>(input_count);
  loop.output_count = static_cast<std::uint8_t>(output_count);
  const auto inputs = static_cast<std::size_t>(input_count);
  const std::size_t total = inputs + static_cast<std::size_t>(output_count);
  if (token.size() != 1 && token.size() != total) throw "a token does not fit the row's arity";
  for (std::size_t i = 0; i < total; ++i) {
    char code = token.size() == 1 ? token[0] : token[i];
    if (token.size() == 1 && i >= inputs && rule.outputs[i - inputs] != '=') {
      code = rule.outputs[i - inputs];
    }
    loop.types[i] = dtype_of_code(code);
  }
  return loop;
}

constexpr LoopTable expand(const TypeRule& rule, int input_count, int output_count) {
  LoopTable table;
  std::string_view rest = rule.loops;
  while (!rest.empty()) {
    const std::size_t end = rest.find(' ') == rest.npos ? rest.size() : rest.find(' ');
    table.loops[table.count++] = expand_token(rule, rest.substr(0, end), input_count, output_count);
    rest.remove_prefix(end == rest.size() ? end : end + 1);
  }
  return table;
}

}  // namespace cupola::type_rules
