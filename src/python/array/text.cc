// Strings between Python and the library.

#include <string>

#include "cupola/error.h"
#include "python/bindings.h"

namespace cupola::python {

std::string text_from(nb::handle object, const char* what) {
  if (!PyUnicode_Check(object.ptr())) refuse_type(object, what, "str");
  Py_ssize_t length = 0;
  const char* const text = PyUnicode_AsUTF8AndSize(object.ptr(), &length);
  if (!text) throw nb::python_error();
  std::string result(text, static_cast<std::size_t>(length));
  if (result.find('\0') != std::string::npos) {
    throw ValueError(std::string(what) + " has an embedded null character");
  }
  return result;
}

std::vector<std::string> texts_from(nb::handle object, const char* what) {
  if (object.is_none()) return {};
  if (PyUnicode_Check(object.ptr()) || !PySequence_Check(object.ptr())) {
    refuse_type(object, what, "a tuple or a list of str");
  }
  std::vector<std::string> texts;
  for (nb::handle item : nb::borrow<nb::object>(object)) texts.push_back(text_from(item, what));
  return texts;
}

std::string shown(nb::handle object) {
  const nb::str text(object);
  const nb::object bytes =
      nb::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "backslashreplace"));
  if (!bytes.is_valid()) throw nb::python_error();
  return {PyBytes_AsString(bytes.ptr()), static_cast<std::size_t>(PyBytes_Size(bytes.ptr()))};
}

void refuse_type(nb::handle object, const char* what, const char* wanted) {
  throw TypeError(std::string(what) + " must be " + wanted + ", not " + class_name(object.ptr()));
}

PyObject* refuse_new(PyTypeObject* type, PyObject*, PyObject*) noexcept {
  const nb::object name = nb::steal(PyType_GetQualName(type));
  if (name.is_valid()) PyErr_Format(PyExc_TypeError, "cannot create '%U' instances", name.ptr());
  return nullptr;
}

}  // namespace cupola::python
