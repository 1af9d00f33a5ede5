#pragma once
// Operands that are an expression's intermediate results, such as `x * y` in `a += x * y`.

#include <optional>

#include "core/array_state.h"
#include "python/bindings.h"

namespace cupola::python {

// How many references there are to an operand where no variable of the program has it: of
// operators and vectorcalls; and of calls of an object whose arguments are in Python's tuple and in
// the function's own, and with keywords on one more stack.
inline constexpr Py_ssize_t kOfOperator = 1;
inline constexpr Py_ssize_t kOfCall = 3;
inline constexpr Py_ssize_t kOfCallWithKeywords = 4;

// Whether no variable of the program has the object.
bool is_temporary(nb::handle object, Py_ssize_t owners);

// While one lives, an operand that nobody else has is passing (core/array_state.h).
class TemporaryOperand {
 public:
  TemporaryOperand(nb::handle operand, Py_ssize_t owners);

 private:
  std::optional<Passing> passing_;
};

}  // namespace cupola::python
