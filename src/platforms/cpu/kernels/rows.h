#pragma once
// The rows of ufuncs.def as types.

#include <utility>

#include "platforms/cpu/kernels/target.h"

#include "codegen/ufunc_expressions.h"

namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

constexpr bool kReorderable[] = {
#define CUPOLA_UFUNC(NAME, INPUTS, OUTPUTS, RULE, IDENTITY, REORDERABLE, ...) REORDERABLE,
#include "cupola/opdefs/ufuncs.def"
#undef CUPOLA_UFUNC
};

template <cupola::UfuncId Id>
struct Row {
  static constexpr cupola::UfuncId kId = Id;
  using Expression = UfuncExpression<Id>;
  static constexpr const cupola::type_rules::LoopTable& kLoops = Expression::table;
  static constexpr int kInputs = kLoops.loops[0].input_count;
  static constexpr int kOutputs = kLoops.loops[0].output_count;
  static constexpr bool kIsReorderable = kReorderable[static_cast<int>(Id)];
  static constexpr bool kRawHalves = Expression::rule.raw_halves;
  static constexpr int kLoopCount = static_cast<int>(kLoops.count);

  // A loop (T, T) -> T, which can combine values.
  static constexpr bool combines(int loop) {
    const auto& types = kLoops.loops[static_cast<std::size_t>(loop)].types;
    return kInputs == 2 && kOutputs == 1 && types[0] == types[1] && types[0] == types[2];
  }
};

// The value of a row's expression, rounded to Out.
template <typename Row, int Result, typename Out, typename A, typename B>
[[gnu::always_inline]] inline Out apply(A a, B b) {
  if constexpr (Result == 0) {
    return cast<Out>(Row::Expression::first(a, b));
  } else {
    return cast<Out>(Row::Expression::second(a, b));
  }
}

// The row's combination of two stored values.
template <typename Row, typename T>
[[gnu::always_inline]] inline T combine(T a, T b) {
  return apply<Row, 0, T>(load_input<Row::kId>(a), load_input<Row::kId>(b));
}

template <typename Adder, int... Ids>
void for_rows(const Adder& adder, std::integer_sequence<int, Ids...>) {
  (adder(Row<static_cast<cupola::UfuncId>(Ids)>{}), ...);
}
// Calls adder(Row<Id>{}) for every row.
template <typename Adder>
void for_each_row(const Adder& adder) {
  for_rows(adder, std::make_integer_sequence<int, cupola::kUfuncCount>{});
}

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE
