#include "core/ufunc.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/opdefs/type_rules.h"
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
      return is_inexact(input) || input == DType::int64;  // ldexp: nothing to adapt to
    }
    if (is_weak(operands_[i]) && count() > 1) casting = std::max(casting, Casting::safe);
    return can_cast(effective(i), input, casting);
  }
  // With dtype= a weak scalar beside another operand adapts to the loop.
  bool adapts(std::size_t i, const UfuncLoop& loop) const {
    if (!is_weak(operands_[i]) || count() == 1) return false;
    const DTypeKind kind = kind_of(loop.types[i]);
    switch (*operands_[i].weak) {
      case WeakKind::boolean:
        return true;
      case WeakKind::integer:
        return kind != DTypeKind::boolean;
      case WeakKind::floating:
        return kind >= DTypeKind::floating;
      case WeakKind::complex:
        return kind == DTypeKind::complex;
    }
    __builtin_unreachable();
  }
  bool fit(const UfuncLoop& loop, Casting casting) const {
    for (std::size_t i = 0; i < count(); ++i) {
      if (!fits(i, loop, casting)) return false;
    }
    return true;
  }

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

[[noreturn]] void refuse_dtype(const UfuncInfo& info, const Operands& operands, DType dtype,
                               Casting casting) {
  throw TypeError(fmt::format(
      "No loop matching the specified signature and casting was found for ufunc {}: inputs ({}), "
      "dtype={}, casting='{}'",
      info.name, operands.names(), name_of(dtype), name_of(casting)));
}

void check_casting(const UfuncInfo& info, const Operands& operands, const UfuncLoop& loop,
                   Casting casting, bool by_output) {
  for (std::size_t i = 0; i < operands.count(); ++i) {
    if (operands.fits(i, loop, casting) || (by_output && operands.adapts(i, loop))) continue;
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

bool gives(const UfuncLoop& loop, DType dtype) {
  for (int i = 0; i < loop.output_count; ++i) {
    if (loop.output(i) != dtype) return false;
  }
  return true;
}

bool takes(const UfuncLoop& loop, DType dtype) {
  for (int i = 0; i < loop.input_count; ++i) {
    if (loop.input(i) != dtype) return false;
  }
  return true;
}

const UfuncLoop& resolve_by_output(const UfuncInfo& info, const Operands& operands, DType dtype,
                                   Casting casting) {
  const UfuncLoop* candidate = nullptr;
  for (const UfuncLoop& loop : info.loops) {
    if (!gives(loop, dtype)) continue;
    if (operands.fit(loop, Casting::safe)) return loop;
    if (!candidate && takes(loop, dtype)) candidate = &loop;
  }
  if (!candidate) refuse_dtype(info, operands, dtype, casting);
  return *candidate;
}

}  // namespace

std::span<const UfuncInfo> all_ufuncs() { return kInfos; }

const UfuncInfo& ufunc_info(UfuncId id) { return kInfos[index_of(id)]; }

std::span<const UfuncAlias> ufunc_aliases() { return kAliases; }

std::optional<UfuncId> find_ufunc(std::string_view name) {
  for (const UfuncInfo& info : kInfos) {
    if (info.name == name) return info.id;
  }
  for (const UfuncAlias& alias : kAliases) {
    if (alias.name == name) return alias.id;
  }
  return std::nullopt;
}

const UfuncLoop& resolve_ufunc(UfuncId id, std::span<const OperandType> operands,
                               std::optional<DType> dtype, Casting casting) {
  const UfuncInfo& info = ufunc_info(id);
  if (operands.size() != static_cast<std::size_t>(info.input_count)) {
    throw TypeError(fmt::format("{}() takes {} positional arguments but {} were given", info.name,
                                info.input_count, operands.size()));
  }
  const Operands typed(operands);
  const UfuncLoop& loop = dtype ? resolve_by_output(info, typed, *dtype, casting)
                                : resolve_by_inputs(info, kRules[index_of(id)], typed);
  check_casting(info, typed, loop, casting, dtype.has_value());
  return loop;
}

}  // namespace cupola
