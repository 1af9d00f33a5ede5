#include "python/direct_function.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace cupola::python {

namespace {

// "name=default" without the default.
std::string_view name_in(std::string_view parameter) {
  return parameter.substr(0, parameter.find('='));
}

PyObject* interned(std::string_view name) {
  PyObject* text = PyUnicode_FromStringAndSize(name.data(), static_cast<Py_ssize_t>(name.size()));
  if (!text) throw nb::python_error();
  PyUnicode_InternInPlace(&text);
  return text;
}

}  // namespace

void Parameters::declare(const char* function, const char* signature) {
  function_ = function;
  std::string_view rest = signature;
  rest = rest.substr(1, rest.size() - 2);
  bool is_positional = true;
  while (!rest.empty()) {
    const std::string_view parameter = rest.substr(0, rest.find(", "));
    rest.remove_prefix(std::min(rest.size(), parameter.size() + 2));
    if (parameter == "*") {
      is_positional = false;
      continue;
    }
    names_.at(count_++) = interned(name_in(parameter));
    positional_ += is_positional;
    required_ += name_in(parameter) == parameter;
  }
}

bool Parameters::sort(PyObject* const* given, std::size_t count, PyObject* keywords,
                      std::span<nb::handle> sorted) const {
  if (count > positional_) {
    PyErr_Format(PyExc_TypeError, "%s() takes at most %zu positional arguments but %zu were given",
                 function_, positional_, count);
    return false;
  }
  std::copy_n(given, count, sorted.begin());
  if (keywords && !sort_keywords(given + count, keywords, sorted)) return false;
  for (std::size_t i = count; i < sorted.size(); ++i) {
    if (sorted[i].is_valid()) continue;
    if (i < required_) {
      PyErr_Format(PyExc_TypeError, "%s() missing required argument: '%U'", function_, names_[i]);
      return false;
    }
    sorted[i] = Py_None;
  }
  return true;
}

bool Parameters::sort_keywords(PyObject* const* values, PyObject* keywords,
                               std::span<nb::handle> sorted) const {
  const auto end = names_.begin() + count_;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(keywords); ++i) {
    PyObject* const keyword = PyTuple_GET_ITEM(keywords, i);
    auto found = std::find(names_.begin(), end, keyword);
    // Keywords that were made at run time need not be interned.
    if (found == end) {
      found = std::find_if(names_.begin(), end,
                           [&](PyObject* name) { return PyUnicode_Compare(name, keyword) == 0; });
    }
    if (found == end) {
      PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", function_,
                   keyword);
      return false;
    }
    nb::handle& place = sorted[static_cast<std::size_t>(found - names_.begin())];
    if (place.is_valid()) {
      PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%U'", function_,
                   keyword);
      return false;
    }
    place = values[i];
  }
  return true;
}

void define_direct_function(nb::module_& m, PyMethodDef& method, const char* signature,
                            const char* documentation) {
  const auto* const text =
      new std::string(std::string(method.ml_name) + signature + "\n--\n\n" + documentation);
  method.ml_doc = text->c_str();
  nb::object module_name = nb::steal(PyUnicode_InternFromString("cupola"));
  nb::object function = nb::steal(PyCFunction_NewEx(&method, nullptr, module_name.ptr()));
  if (!function.is_valid()) throw nb::python_error();
  m.attr(method.ml_name) = function;
}

}  // namespace cupola::python
