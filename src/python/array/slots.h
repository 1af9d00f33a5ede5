#pragma once
// Functions that take the places of methods in Python's table of slots. A method is reached from
// there by a lookup of its name and the parsing of its arguments, which takes longer than a small
// operation. What is no array of the very class, number, integer or slice goes to the method still.

#include <utility>

#include "python/bindings.h"

namespace cupola::python {

#ifndef Py_LIMITED_API  // an extension for several versions of Python has no access to slots

// What the short way makes; where that is nothing, what the method returns. What the short way
// throws is not asked for again: a late error is thrown once.
template <typename Short, typename Method>
PyObject* short_or(const Short& short_way, const Method& method) noexcept {
  try {
    nb::object result = short_way();
    if (result.is_valid()) return result.release().ptr();
  } catch (...) {
    set_error_from_exception();
    return nullptr;
  }
  return method();
}

inline PyTypeObject& type_of(ArrayClass& cls) {
  return *reinterpret_cast<PyTypeObject*>(cls.ptr());
}

// `method` gets the function that calls the method.
template <typename Function>
void take_slot(Function& slot, Function function, Function& method) {
  method = std::exchange(slot, function);
}

#endif

}  // namespace cupola::python
