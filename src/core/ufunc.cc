#include "core/ufunc.h"

#include <vector>

#include <fmt/format.h>

#include <algorithm>

#include "core/logical_ufuncs.h"
#include "core/opdefs/type_rules.h"
#include "core/ufunc_signature.h"
#include "cupola/error.h"

namespace cupola {
namespace {

using namespace type_rules;

constexpr LoopTable kLoops[] = {
#define CUPOLA_UFUNC(NAME, INPUTS, OUTPUTS, RULE, ...) expand(RULE, INPUTS, OUTPUTS),
#include "cupola/opdefs/ufuncs.def"
#undef CUPOLA_UFUNC
};

constexpr TypeRule kRules[] = {
#define CUPOLA_UFUNC(NAME, INPUTS, OUTPUTS, RULE, ...) RULE,
#include "cupola/opdefs/ufuncs.def"
#undef CUPOLA_UFUNC
};

constexpr std::size_t index_of(UfuncId id) { return static_cast<std::size_t>(id); }

constexpr UfuncInfo kInfos[] = {
#define CUPOLA_UFUNC(NAME, INPUTS, OUTPUTS, RULE, IDENTITY, REORDERABLE, FIRST, SECOND, DOC) \
  {UfuncId::NAME,                                                                            \
   #NAME,                                                                                    \
   INPUTS,                                                                                   \
   OUTPUTS,                                                                                  \
   Identity::IDENTITY,                                                                       \
   REORDERABLE,                                                                              \
   {#FIRST, #SECOND},                                                                        \
   kLoops[index_of(UfuncId::NAME)].span(),                                                   \
   DOC,                                                                                      \
   RULE.raw_halves},
#include "cupola/opdefs/ufuncs.def"
#undef CUPOLA_UFUNC
};

constexpr UfuncAlias kAliases[] = {
    {"abs", UfuncId::absolute},
    {"acos", UfuncId::arccos},
    {"acosh", UfuncId::arccosh},
    {"asin", UfuncId::arcsin},
    {"asinh", UfuncId::arcsinh},
    {"atan", UfuncId::arctan},
    {"atan2", UfuncId::arctan2},
    {"atanh", UfuncId::arctanh},
    {"bitwise_invert", UfuncId::invert},
    {"bitwise_left_shift", UfuncId::left_shift},
    {"bitwise_not", UfuncId::invert},
    {"bitwise_right_shift", UfuncId::right_shift},
    {"conj", UfuncId::conjugate},
    {"mod", UfuncId::remainder},
    {"pow", UfuncId::power},
    {"true_divide", UfuncId::divide},
};

// The operands of one call, with what a search for a loop needs to know of them.
class Operands {
 public:
  explicit Operands(std::span<const OperandType> operands) : operands_(operands) {
    std::array<DType, 4> typed{};
    std::array<WeakKind, 4> weak{};
    std::size_t typed_count = 0;
    std::size_t weak_count = 0;
    for (const OperandType& operand : operands) {
      if (is_weak(operand)) {
        weak[weak_count++] = *operand.weak;
      } else {
        typed[typed_count++] = own(operand);
        has_type_ = true;
        has_number_ = has_number_ || own(operand) != DType::bool_;
      }
    }
    common_ = result_type({typed.data(), typed_count}, {weak.data(), weak_count});
  }

  // A Python bool is never weak: it is a bool.
  static bool is_weak(const OperandType& operand) {
    return operand.weak && *operand.weak != WeakKind::boolean;
  }

  DType common() const { return common_; }
  std::size_t count() const { return operands_.size(); }
  // The type with which operand i takes part: a weak scalar adapts to the others.
  DType effective(std::size_t i) const {
    return is_weak(operands_[i]) ? common_ : own(operands_[i]);
  }

  // Whether operand i can be an input of `loop`.
  bool fits(std::size_t i, const UfuncLoop& loop, Casting casting) const {
    const DType input = loop.types[i];
    const bool mixed = count() == 2 && loop.types[0] != loop.types[1];
    if (mixed && is_weak_integer(i) && (has_number_ || is_inexact(common_))) {
      // ldexp: nothing to adapt to. Beside an operand with a type, the first loop is taken.
      return is_inexact(input) || input == DType::int64 || (has_type_ && input == DType::int32);
    }
    if (is_weak(operands_[i]) && count() > 1) casting = std::max(casting, Casting::safe);
    return can_cast(effective(i), input, casting);
  }
  // Whether a weak scalar is refused: numbers without a dtype are equivalent only to their default.
  bool is_unlike(std::size_t i, const UfuncLoop& loop, Casting casting) const {
    if (casting != Casting::equiv || !is_weak(operands_[i])) return false;
    return result_type({}, {&*operands_[i].weak, 1}) != loop.types[i];
  }
  // With dtype= a weak scalar beside another operand adapts to the loop; with a fixed type of its
  // own it is converted as by that type.
  bool adapts(std::size_t i, const UfuncLoop& loop, bool fixed = false) const {
    if (!is_weak(operands_[i]) || count() == 1) return false;
    const DTypeKind kind = kind_of(loop.types[i]);
    switch (*operands_[i].weak) {
      case WeakKind::boolean:
        return true;
      case WeakKind::integer:
        return fixed || kind != DTypeKind::boolean;
      case WeakKind::floating:
        return fixed || kind >= DTypeKind::floating;
      case WeakKind::complex:
        return kind == DTypeKind::complex;
    }
    __builtin_unreachable();
  }
  // With `fixed`, the operands whose types it has are left out, and weak scalars adapt.
  bool fit(const UfuncLoop& loop, Casting casting, FixedTypes fixed = {}) const {
    for (std::size_t i = 0; i < count(); ++i) {
      const bool taken = !fixed.empty() && (fixed[i] || adapts(i, loop));
      if (!taken && !fits(i, loop, casting)) return false;
    }
    return true;
  }

  std::string_view name_of_kind(std::size_t i) const { return weak_name(*operands_[i].weak); }
  std::string names() const {
    std::string text;
    for (std::size_t i = 0; i < count(); ++i) {
      if (i) text += ", ";
      text += is_weak(operands_[i]) ? weak_name(*operands_[i].weak) : name_of(own(operands_[i]));
    }
    return text;
  }

 private:
  static DType own(const OperandType& operand) {
    return operand.weak == WeakKind::boolean ? DType::bool_ : operand.dtype;
  }
  bool is_weak_integer(std::size_t i) const { return operands_[i].weak == WeakKind::integer; }
  static std::string_view weak_name(WeakKind kind) {
    constexpr std::string_view kNames[] = {"bool", "Python int", "Python float", "Python complex"};
    return kNames[static_cast<std::size_t>(kind)];
  }

  std::span<const OperandType> operands_;
  DType common_;
  bool has_type_ = false;    // an operand that is no weak scalar
  bool has_number_ = false;  // a typed operand other than bool
};

[[noreturn]] void refuse_boolean(const UfuncInfo& info) {
  if (info.id == UfuncId::subtract) {
    throw TypeError(
        "numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, the `^` "
        "operator, or the logical_xor function instead.");
  }
  if (info.id == UfuncId::negative) {
    throw TypeError(
        "The numpy boolean negative, the `-` operator, is not supported, use the `~` operator or "
        "the logical_not function instead.");
  }
  throw TypeError(
      fmt::format("ufunc '{}' did not contain a loop with signature matching types bool "
                  "(no arithmetic on bool; convert to an integer type first)",
                  info.name));
}

[[noreturn]] void refuse_types(const UfuncInfo& info, const Operands& operands) {
  throw TypeError(
      fmt::format("ufunc '{}' not supported for the input types ({}), and the inputs could not be "
                  "safely coerced to any supported types according to the casting rule 'safe'",
                  info.name, operands.names()));
}

[[noreturn]] void refuse_fixed(const UfuncInfo& info, const Operands& operands, FixedTypes fixed,
                               Casting casting) {
  std::string signature;
  for (const auto& type : fixed) {
    if (!signature.empty()) signature += ", ";
    signature += type ? name_of(*type) : "None";
  }
  throw TypeError(fmt::format(
      "No loop matching the specified signature and casting was found for ufunc {}: inputs ({}), "
      "signature=({}), casting='{}'",
      info.name, operands.names(), signature, name_of(casting)));
}

void check_casting(const UfuncInfo& info, const Operands& operands, const UfuncLoop& loop,
                   Casting casting, FixedTypes fixed) {
  for (std::size_t i = 0; i < operands.count(); ++i) {
    // Python integers are compared with all integers, whatever the rule.
    const bool is_compared = is_integer(loop.types[i]) && loop.output(0) == DType::bool_;
    if (!is_compared && operands.is_unlike(i, loop, casting)) {
      throw CastingError(fmt::format("cannot cast {} to {} under the casting rule 'equiv'",
                                     operands.name_of_kind(i), name_of(loop.types[i])));
    }
    if (operands.fits(i, loop, casting) ||
        (!fixed.empty() && operands.adapts(i, loop, fixed[i].has_value())))
      continue;
    const std::string which = operands.count() == 1 ? "input" : fmt::format("input {}", i);
    throw CastingError(fmt::format(
        "Cannot cast ufunc '{}' {} from dtype('{}') to dtype('{}') with casting rule '{}'",
        info.name, which, name_of(operands.effective(i)), name_of(loop.types[i]),
        name_of(casting)));
  }
}

const UfuncLoop& resolve_by_inputs(const UfuncInfo& info, const TypeRule& rule,
                                   const Operands& operands) {
  const bool whole = !is_inexact(operands.common());
  if (rule.rejects_boolean && operands.common() == DType::bool_) refuse_boolean(info);
  for (const UfuncLoop& loop : info.loops) {
    if (rule.integers_to_double && whole) {
      if (loop.input(0) == DType::float64) return loop;
    } else if (operands.fit(loop, Casting::safe)) {
      return loop;
    }
  }
  refuse_types(info, operands);
}

bool is_fixed(const std::optional<DType>& type) { return type.has_value(); }

// Whether the loop has the fixed types and, where `rest` is one, inputs of that type else.
bool has_types(const UfuncLoop& loop, FixedTypes fixed, std::optional<DType> rest = {}) {
  for (std::size_t i = 0; i < fixed.size(); ++i) {
    const auto wanted = fixed[i] || i >= loop.input_count ? fixed[i] : rest;
    if (wanted && loop.types[i] != *wanted) return false;
  }
  return true;
}

const UfuncLoop& resolve_by_types(const UfuncInfo& info, const Operands& operands, FixedTypes fixed,
                                  Casting casting) {
  const FixedTypes inputs = fixed.first(static_cast<std::size_t>(info.input_count));
  const FixedTypes outputs = fixed.subspan(inputs.size());
  const bool by_output = std::all_of(outputs.begin(), outputs.end(), is_fixed);
  const bool by_input = std::any_of(inputs.begin(), inputs.end(), is_fixed);
  const UfuncLoop* candidate = nullptr;
  for (const UfuncLoop& loop : info.loops) {
    if (!has_types(loop, fixed)) continue;
    if (operands.fit(loop, Casting::safe, by_input ? inputs : FixedTypes())) return loop;
    if (!candidate && by_output && has_types(loop, fixed, outputs[0])) candidate = &loop;
  }
  if (!candidate) refuse_fixed(info, operands, fixed, casting);
  return *candidate;
}

}  // namespace

std::span<const UfuncInfo> all_ufuncs() { return kInfos; }

std::span<const UfuncInfo> public_ufuncs() {
  constexpr std::size_t kPublic = 0
#define CUPOLA_ONLY_PUBLIC_UFUNCS
#define CUPOLA_UFUNC(NAME, ...) +1
#include "cupola/opdefs/ufuncs.def"
#undef CUPOLA_UFUNC
#undef CUPOLA_ONLY_PUBLIC_UFUNCS
      ;
  return all_ufuncs().first(kPublic);
}

const UfuncInfo& ufunc_info(UfuncId id) { return kInfos[index_of(id)]; }

std::span<const UfuncAlias> ufunc_aliases() { return kAliases; }

std::optional<UfuncId> find_ufunc(std::string_view name) {
  for (const UfuncInfo& info : public_ufuncs()) {
    if (info.name == name) return info.id;
  }
  for (const UfuncAlias& alias : kAliases) {
    if (alias.name == name) return alias.id;
  }
  return std::nullopt;
}

namespace {

// NumPy's dtype=: the type of all outputs.
std::vector<std::optional<DType>> outputs_of(const UfuncInfo& info, std::optional<DType> dtype) {
  std::vector<std::optional<DType>> fixed;
  if (!dtype) return fixed;
  fixed.resize(static_cast<std::size_t>(info.input_count));
  fixed.resize(static_cast<std::size_t>(info.input_count + info.output_count), dtype);
  return fixed;
}

const UfuncLoop& search_loop(UfuncId id, std::span<const OperandType> operands, FixedTypes fixed,
                             Casting casting) {
  const UfuncInfo& info = ufunc_info(id);
  if (operands.size() != static_cast<std::size_t>(info.input_count)) {
    throw TypeError(fmt::format("{}() takes {} positional arguments but {} were given", info.name,
                                info.input_count, operands.size()));
  }
  const Operands typed(operands);
  const bool any_fixed = std::any_of(fixed.begin(), fixed.end(), is_fixed);
  const UfuncLoop& loop = any_fixed ? resolve_by_types(info, typed, fixed, casting)
                                    : resolve_by_inputs(info, kRules[index_of(id)], typed);
  // Of logical functions' operands only the truth counts, whatever their types.
  if (!is_logical(id)) {
    check_casting(info, typed, loop, casting, any_fixed ? fixed : FixedTypes());
  }
  return loop;
}

// All arguments in one number, never 0; 0 where they do not fit.
std::uint64_t question_of(UfuncId id, std::span<const OperandType> operands,
                          std::optional<DType> dtype, Casting casting) {
  if (operands.size() > 3) return 0;
  std::uint64_t question = 1;
  const auto add = [&](std::uint64_t value, int bits) { question = question << bits | value; };
  add(index_of(id), 10);
  for (const OperandType& operand : operands) {
    add(static_cast<std::uint64_t>(operand.dtype), 5);
    add(operand.weak ? static_cast<std::uint64_t>(*operand.weak) + 1 : 0, 3);
  }
  add(dtype ? static_cast<std::uint64_t>(*dtype) + 1 : 0, 5);
  add(static_cast<std::uint64_t>(casting), 3);
  return question;
}

}  // namespace

const UfuncLoop& resolve_ufunc(UfuncId id, std::span<const OperandType> operands,
                               std::optional<DType> dtype, Casting casting) {
  // The search reads much of the table; programs ask the same few questions again and again.
  struct Answer {
    std::uint64_t question = 0;
    const UfuncLoop* loop = nullptr;
  };
  thread_local std::array<Answer, 64> answers;
  const std::uint64_t question = question_of(id, operands, dtype, casting);
  Answer& answer = answers[question * 0x9E3779B97F4A7C15u >> 58];
  if (question == 0 || answer.question != question) {
    answer = {question, &search_loop(id, operands, outputs_of(ufunc_info(id), dtype), casting)};
  }
  return *answer.loop;
}

const UfuncLoop& resolve_ufunc_with(UfuncId id, std::span<const OperandType> operands,
                                    FixedTypes fixed, Casting casting) {
  return search_loop(id, operands, fixed, casting);
}

bool is_cheap(UfuncId id) {
  switch (id) {
    case UfuncId::add:
    case UfuncId::subtract:
    case UfuncId::multiply:
    case UfuncId::divide:
    case UfuncId::negative:
    case UfuncId::positive:
    case UfuncId::absolute:
    case UfuncId::fabs:
    case UfuncId::square:
    case UfuncId::sqrt:
    case UfuncId::sign:
    case UfuncId::conjugate:
    case UfuncId::maximum:
    case UfuncId::minimum:
    case UfuncId::fmax:
    case UfuncId::fmin:
    case UfuncId::bitwise_and:
    case UfuncId::bitwise_or:
    case UfuncId::bitwise_xor:
    case UfuncId::invert:
    case UfuncId::greater:
    case UfuncId::greater_equal:
    case UfuncId::less:
    case UfuncId::less_equal:
    case UfuncId::equal:
    case UfuncId::not_equal:
    case UfuncId::logical_and:
    case UfuncId::logical_or:
    case UfuncId::logical_not:
    case UfuncId::isnan:
    case UfuncId::isfinite:
    case UfuncId::sort_digit:
    case UfuncId::multiply_high:
      return true;
    default:
      return false;
  }
}

}  // namespace cupola
