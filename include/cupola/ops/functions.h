#pragma once
// One C++ function per universal function of one output, and the operators of Array. What each
// computes is said in its row of opdefs/ufuncs.def; out, where, dtype and casting are arguments
// of call_ufunc().

#include <concepts>

#include "cupola/opdefs/ufunc_id.h"
#include "cupola/ops/elementwise.h"

namespace cupola {

namespace detail {

template <typename T>
concept ArrayOperand = std::same_as<T, Array> || std::same_as<T, Selection>;
template <typename A, typename B>
concept Operands = (ArrayOperand<A> && std::convertible_to<const B&, Operand>) ||
                   (ArrayOperand<B> && std::convertible_to<const A&, Operand>);

template <UfuncId ufunc, typename... Arguments>
Array apply(const Arguments&... arguments) {
  const Operand list[] = {Operand(arguments)...};
  return apply_ufunc(ufunc, list);
}

template <UfuncId ufunc, typename... Arguments>
std::vector<Array> call(const Arguments&... arguments) {
  const Operand list[] = {Operand(arguments)...};
  return call_ufunc(ufunc, list);
}

}  // namespace detail

#define CUPOLA_FUNCTION_1_1(NAME) \
  inline Array NAME(const Operand& a) { return detail::apply<UfuncId::NAME>(a); }
#define CUPOLA_FUNCTION_2_1(NAME)                         \
  inline Array NAME(const Operand& a, const Operand& b) { \
    return detail::apply<UfuncId::NAME>(a, b);            \
  }
#define CUPOLA_FUNCTION_1_2(NAME) \
  inline std::vector<Array> NAME(const Operand& a) { return detail::call<UfuncId::NAME>(a); }
#define CUPOLA_FUNCTION_2_2(NAME)                                      \
  inline std::vector<Array> NAME(const Operand& a, const Operand& b) { \
    return detail::call<UfuncId::NAME>(a, b);                          \
  }
#define CUPOLA_ONLY_PUBLIC_UFUNCS
#define CUPOLA_UFUNC(NAME, INPUTS, OUTPUTS, ...) CUPOLA_FUNCTION_##INPUTS##_##OUTPUTS(NAME)
#include "cupola/opdefs/ufuncs.def"
#undef CUPOLA_UFUNC
#undef CUPOLA_ONLY_PUBLIC_UFUNCS
#undef CUPOLA_FUNCTION_1_1
#undef CUPOLA_FUNCTION_2_1
#undef CUPOLA_FUNCTION_1_2
#undef CUPOLA_FUNCTION_2_2

// Of two arrays, or of an array and a number.
#define CUPOLA_BINARY_OPERATOR(SIGN, NAME) \
  template <typename A, typename B>        \
  requires detail::Operands<A, B> Array operator SIGN(const A& a, const B& b) { return NAME(a, b); }
CUPOLA_BINARY_OPERATOR(+, add)
CUPOLA_BINARY_OPERATOR(-, subtract)
CUPOLA_BINARY_OPERATOR(*, multiply)
CUPOLA_BINARY_OPERATOR(/, divide)
CUPOLA_BINARY_OPERATOR(%, remainder)
CUPOLA_BINARY_OPERATOR(<, less)
CUPOLA_BINARY_OPERATOR(<=, less_equal)
CUPOLA_BINARY_OPERATOR(>, greater)
CUPOLA_BINARY_OPERATOR(>=, greater_equal)
CUPOLA_BINARY_OPERATOR(==, equal)
CUPOLA_BINARY_OPERATOR(!=, not_equal)
CUPOLA_BINARY_OPERATOR(&, bitwise_and)
CUPOLA_BINARY_OPERATOR(|, bitwise_or)
CUPOLA_BINARY_OPERATOR(^, bitwise_xor)
CUPOLA_BINARY_OPERATOR(<<, left_shift)
CUPOLA_BINARY_OPERATOR(>>, right_shift)
#undef CUPOLA_BINARY_OPERATOR
inline Array operator+(const Array& a) { return positive(a); }
inline Array operator-(const Array& a) { return negative(a); }
inline Array operator~(const Array& a) { return invert(a); }

}  // namespace cupola
