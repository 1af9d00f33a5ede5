#include "python/borders/foreign_operands.h"

namespace cupola::python {
namespace {

// Python's own types, NumPy's scalars and arrays of ours have no say.
bool is_plain(nb::handle object) {
  PyObject* raw = object.ptr();
  return PyLong_CheckExact(raw) || PyFloat_CheckExact(raw) || PyBool_Check(raw) ||
         PyComplex_CheckExact(raw) || raw == Py_None || PyList_CheckExact(raw) ||
         PyTuple_CheckExact(raw) || PyUnicode_CheckExact(raw) || find_array(object) ||
         is_exactly_numpy_array(object) || is_numpy_scalar(object);
}

// Of the type, not of the object; null where it has none.
nb::object type_attribute(nb::handle object, const char* name) {
  nb::handle type(reinterpret_cast<PyObject*>(Py_TYPE(object.ptr())));
  return nb::getattr(type, name, nb::object());
}

// That of numpy.ndarray stands for no decision of a derived class.
bool is_numpys_own(const nb::object& method) {
  nb::object own = nb::module_::import_("numpy").attr("ndarray").attr("__array_ufunc__");
  return method.is(own);
}

double priority_of(nb::handle object) {
  constexpr double kOfScalars = -1000000.0;
  nb::object value = type_attribute(object, "__array_priority__");
  if (!value.is_valid()) return kOfScalars;
  const double priority = PyFloat_AsDouble(value.ptr());
  if (!PyErr_Occurred()) return priority;
  PyErr_Clear();
  return kOfScalars;
}

constexpr double kOwnPriority = 100.0;  // ndarray.__array_priority__

}  // namespace

Decider decider_of(nb::handle other, bool reflected, bool in_place) {
  if (is_plain(other)) return Decider::array;
  const nb::object method = type_attribute(other, "__array_ufunc__");
  if (method.is_valid()) {
    if (is_numpys_own(method)) return Decider::array;
    return method.is_none() && !reflected && !in_place ? Decider::other : Decider::numpy;
  }
  if (reflected || in_place) return Decider::array;
  return priority_of(other) > kOwnPriority ? Decider::other : Decider::array;
}

bool has_override(nb::handle operand) {
  if (is_plain(operand)) return false;
  const nb::object method = type_attribute(operand, "__array_ufunc__");
  return method.is_valid() && !is_numpys_own(method);
}

nb::object numpys_function(std::string_view name) {
  return nb::module_::import_("numpy").attr(nb::str(name.data(), name.size()));
}

nb::object call_numpy(std::string_view name, std::initializer_list<nb::handle> operands,
                      nb::handle out) {
  nb::list values;
  for (nb::handle operand : operands) values.append(operand);
  nb::object function = numpys_function(name);
  if (!out.is_valid()) return function(*nb::tuple(values));
  return function(*nb::tuple(values), nb::arg("out") = nb::make_tuple(out));
}

nb::object compare_with_foreign(nb::handle array, nb::handle other, bool unequal) {
  return nb::module_::import_("cupola._array.comparison").attr("compare")(array, other, unequal);
}

}  // namespace cupola::python
