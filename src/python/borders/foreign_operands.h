#pragma once
// Operands of other libraries in operators and universal functions: who decides what the operation
// means, by NumPy's rules for `__array_ufunc__` and `__array_priority__`.

#include <initializer_list>

#include "python/bindings.h"

namespace cupola::python {

enum class Decider {
  array,  // the operation is ours
  other,  // the other operand's reflected method
  numpy,  // NumPy's function, which asks the `__array_ufunc__` of both operands
};

// Who decides about `array op other`; with `reflected` about `other op array`, and with `in_place`
// about `array op= other`, which the other operand does not take over.
Decider decider_of(nb::handle other, bool reflected = false, bool in_place = false);
// Whether a universal function of ours hands the call to NumPy's of the same name.
bool has_override(nb::handle operand);
// numpy.<name>, which asks the operands' `__array_ufunc__`.
nb::object numpys_function(std::string_view name);
// numpy.<name>(*operands), with `out` where there is one.
nb::object call_numpy(std::string_view name, std::initializer_list<nb::handle> operands,
                      nb::handle out = {});
// == or != with an object that holds no numbers an array could be compared with element by
// element: what NumPy answers.
nb::object compare_with_foreign(nb::handle array, nb::handle other, bool unequal);

}  // namespace cupola::python
