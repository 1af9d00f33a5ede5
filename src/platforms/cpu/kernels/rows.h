#pragma once
// The rows of ufuncs.def as types: first(a, b) and second(a, b) are their expressions.

#include "core/opdefs/type_rules.h"
#include "platforms/cpu/kernels/target.h"

namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

#define CUPOLA_UFUNC(NAME, INPUTS, OUTPUTS, RULE, IDENTITY, REORDERABLE, FIRST, SECOND, DOC)   \
  struct Row_##NAME {                                                                          \
    static constexpr cupola::UfuncId kId = cupola::UfuncId::NAME;                              \
    static constexpr int kInputs = INPUTS;                                                     \
    static constexpr int kOutputs = OUTPUTS;                                                   \
    static constexpr bool kReorderable = REORDERABLE;                                          \
    static constexpr cupola::type_rules::TypeRule kRule = cupola::type_rules::RULE;            \
    static constexpr cupola::type_rules::LoopTable kLoops =                                    \
        cupola::type_rules::expand(kRule, INPUTS, OUTPUTS);                                    \
    template <typename A, typename B>                                                          \
    [[gnu::always_inline]] static auto first([[maybe_unused]] A a, [[maybe_unused]] B b) {     \
      return FIRST;                                                                            \
    }                                                                                          \
    template <typename A, typename B>                                                          \
    [[gnu::always_inline]] static auto second([[maybe_unused]] A a, [[maybe_unused]] B b) {    \
      return SECOND;                                                                           \
    }                                                                                          \
  };
#include "cupola/opdefs/ufuncs.def"
#undef CUPOLA_UFUNC

// The value of a row's expression, rounded to Out.
template <typename Row, int Result, typename Out, typename A, typename B>
[[gnu::always_inline]] inline Out apply(A a, B b) {
  if constexpr (Result == 0) {
    return cast<Out>(Row::first(a, b));
  } else {
    return cast<Out>(Row::second(a, b));
  }
}

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE
