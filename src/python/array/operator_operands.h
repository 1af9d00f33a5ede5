#pragma once
// What operators take besides arrays: numbers, and selections whose elements nobody counted.

#include <optional>

#include "python/bindings.h"

namespace cupola::python {

// The operand beside an array on `device`; nothing for what the operator leaves to it.
std::optional<Operand> other_operand(UfuncId id, const Device& device, nb::handle other,
                                     std::optional<DType> beside = {});

// Of a selection. Nothing where its elements were counted.
std::optional<Uncounted> of_one_uncounted(UfuncId id, const NdArray& self);
// Of an array and what is an array or a number; nothing where elements have to be counted.
std::optional<Uncounted> of_uncounted(UfuncId id, const NdArray& self, nb::handle other,
                                      bool reflected);

// Of an element that the host knows and a Python number. Nothing: it is no such operation.
std::optional<Array> of_element(UfuncId id, const Array& element, nb::handle other, bool reflected);

}  // namespace cupola::python
