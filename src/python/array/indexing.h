#pragma once
// What index arrays store in the elements that they choose.

#include "python/bindings.h"

namespace cupola::python {

// `value` as `target[chosen] = value` stores it. Throws as that does for what no element holds.
Operand chosen_value_from(nb::handle value, const Array& target, const Array& chosen);

}  // namespace cupola::python
