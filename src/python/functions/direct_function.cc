#include "python/functions/direct_function.h"

#include <structmember.h>

#include <algorithm>
#include <string>

#include "python/functions/reduce_arguments.h"

namespace cupola::python {

namespace {

// ---- parameters

PyObject* interned(std::string_view name) {
  PyObject* text = PyUnicode_FromStringAndSize(name.data(), static_cast<Py_ssize_t>(name.size()));
  if (!text) throw nb::python_error();
  PyUnicode_InternInPlace(&text);
  return text;
}

PyObject* default_from(std::string_view text) {
  if (text == "None") return Py_None;
  if (text == "True") return Py_True;
  if (text == "False") return Py_False;
  if (text == "<no value>") return no_value().release().ptr();
  if (text.front() == '\'') return Py_None;
  return nb::int_(std::stol(std::string(text))).release().ptr();
}

}  // namespace

void Parameters::declare(const char* function, const char* signature) {
  function_ = function;
  std::string_view rest = signature;
  rest = rest.substr(1, rest.rfind(')') - 1);
  bool is_positional = true;
  while (!rest.empty()) {
    const std::string_view parameter = rest.substr(0, rest.find(", "));
    rest.remove_prefix(std::min(rest.size(), parameter.size() + 2));
    if (parameter == "/") {
      unnamed_ = count_;
    } else if (parameter == "*") {
      is_positional = false;
    } else {
      add(parameter);
      positional_ += is_positional;
    }
  }
}

void Parameters::add(std::string_view parameter) {
  constexpr std::string_view kEquals = " = ";
  const std::size_t equals = parameter.find(kEquals);
  names_.at(count_) = interned(parameter.substr(0, parameter.find(':')));
  if (equals != std::string_view::npos) {
    defaults_.at(count_) = default_from(parameter.substr(equals + kEquals.size()));
  }
  ++count_;
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
    if (!defaults_[i]) {
      PyErr_Format(PyExc_TypeError, "%s() missing required argument: '%U'", function_, names_[i]);
      return false;
    }
    sorted[i] = defaults_[i];
  }
  return true;
}

bool Parameters::sort_keywords(PyObject* const* values, PyObject* keywords,
                               std::span<nb::handle> sorted) const {
  const auto begin = names_.begin() + unnamed_;
  const auto end = names_.begin() + count_;
  for (Py_ssize_t i = 0; i < NB_TUPLE_GET_SIZE(keywords); ++i) {
    PyObject* const keyword = NB_TUPLE_GET_ITEM(keywords, i);
    auto found = std::find(begin, end, keyword);
    // Keywords that were made at run time need not be interned.
    if (found == end) {
      found = std::find_if(begin, end,
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

namespace {

// ---- the class of the functions

struct FunctionObject {
  PyObject_HEAD vectorcallfunc call;
  PyObject* weak_references;
  FunctionTexts texts;
};

const FunctionTexts& texts_of(PyObject* function) {
  return reinterpret_cast<FunctionObject*>(function)->texts;
}

PyObject* name_of_function(PyObject* function, void*) {
  return PyUnicode_FromString(texts_of(function).name);
}
PyObject* signature_of_function(PyObject* function, void*) {
  return PyUnicode_FromString(texts_of(function).signature);
}

// A class keeps `__doc__` and `__module__` of its own where properties would stand.
PyObject* attribute_of_function(PyObject* function, PyObject* name) {
  const char* text = PyUnicode_AsUTF8AndSize(name, nullptr);
  if (!text) return nullptr;
  const std::string_view wanted = text;
  if (wanted == "__doc__") return PyUnicode_FromString(texts_of(function).documentation);
  if (wanted == "__module__") return PyUnicode_FromString(texts_of(function).module);
  return PyObject_GenericGetAttr(function, name);
}

PyObject* bound(PyObject* function, PyObject* instance, PyObject*) {
  if (instance && instance != Py_None) return bind_method(function, instance);
  return Py_NewRef(function);
}

PyObject* shown_function(PyObject* function) {
  return PyUnicode_FromFormat("<function %s.%s>", texts_of(function).module,
                              texts_of(function).name);
}

// By its name, as Python's functions are pickled and copied.
PyObject* reduced_function(PyObject* function, PyObject*) {
  return PyUnicode_FromString(texts_of(function).name);
}

PyGetSetDef properties[] = {
    {"__name__", name_of_function, nullptr, nullptr, nullptr},
    {"__qualname__", name_of_function, nullptr, nullptr, nullptr},
    {"__text_signature__", signature_of_function, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
PyMethodDef methods[] = {
    {"__reduce__", reduced_function, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};
PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(FunctionObject, call), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(FunctionObject, weak_references), READONLY,
     nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

template <typename Function>
void* slot(Function* function) {
  return reinterpret_cast<void*>(function);
}

PyTypeObject* function_class() {
  static PyTypeObject* const type = [] {
    static PyType_Slot slots[] = {
        {Py_tp_call, slot(PyVectorcall_Call)},
        {Py_tp_descr_get, slot(bound)},
        {Py_tp_getattro, slot(attribute_of_function)},
        {Py_tp_repr, slot(shown_function)},
        {Py_tp_getset, properties},
        {Py_tp_methods, methods},
        {Py_tp_members, members},
        {0, nullptr},
    };
    // Methods are called without an object that binds them.
    constexpr unsigned kFlags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL |
                                Py_TPFLAGS_METHOD_DESCRIPTOR | Py_TPFLAGS_DISALLOW_INSTANTIATION;
    static PyType_Spec spec{"cupola._cupola.function", sizeof(FunctionObject), 0, kFlags, slots};
    PyObject* made = PyType_FromSpec(&spec);
    if (!made) throw nb::python_error();
    return reinterpret_cast<PyTypeObject*>(made);
  }();
  return type;
}

}  // namespace

void define_direct_function(nb::module_& m, vectorcallfunc call, const FunctionTexts& texts) {
  nb::object object = nb::steal(PyType_GenericAlloc(function_class(), 0));
  if (!object.is_valid()) throw nb::python_error();
  auto* function = reinterpret_cast<FunctionObject*>(object.ptr());
  function->call = call;
  function->texts = texts;
  m.attr(texts.name) = object;
}

}  // namespace cupola::python
