#include "python/interpreter/interpreter_functions.h"

#include <dlfcn.h>
#include <nanobind/nanobind.h>

#include "cupola/error.h"

namespace cupola::python {

namespace nb = nanobind;

#ifdef Py_LIMITED_API

namespace {

struct Functions {
  int (*PyGILState_Check)();
  PyFrameObject* (*PyFrame_GetBack)(PyFrameObject*);
  int (*PyFrame_GetLasti)(PyFrameObject*);
  int (*PyCode_Addr2Line)(PyCodeObject*, int);
  PyObject* (*PyMethod_New)(PyObject*, PyObject*);
};

Functions functions{};

template <typename Function>
void load(Function& function, const char* name) {
  function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
  if (function) return;
  throw LibraryError(std::string("this Python (") + Py_GetVersion() + ") has no function " + name +
                     ", so the package built for the stable ABI cannot be used with it: install "
                     "CPython 3.12 or later, or build the package from source");
}

}  // namespace

void check_interpreter() {
#define CUPOLA_LOAD(NAME) load(functions.NAME, #NAME)
  CUPOLA_LOAD(PyGILState_Check);
  CUPOLA_LOAD(PyFrame_GetBack);
  CUPOLA_LOAD(PyFrame_GetLasti);
  CUPOLA_LOAD(PyCode_Addr2Line);
  CUPOLA_LOAD(PyMethod_New);
#undef CUPOLA_LOAD
}

bool has_interpreter_lock() noexcept { return functions.PyGILState_Check() != 0; }

PyFrameObject* caller_of(PyFrameObject* frame) { return functions.PyFrame_GetBack(frame); }

int instruction_of(PyFrameObject* frame) { return functions.PyFrame_GetLasti(frame); }

int line_of(PyCodeObject* code, int instruction) {
  return functions.PyCode_Addr2Line(code, instruction);
}

PyObject* bind_method(PyObject* function, PyObject* instance) {
  return functions.PyMethod_New(function, instance);
}

std::string name_of_type(PyTypeObject* type) {
  const nb::handle object(reinterpret_cast<PyObject*>(type));
  const std::string name = nb::str(object.attr("__name__")).c_str();
  if (PyType_GetFlags(type) & Py_TPFLAGS_HEAPTYPE) return name;
  const std::string module = nb::str(object.attr("__module__")).c_str();
  return module == "builtins" ? name : module + "." + name;
}

namespace {

// The slice has it, too.
PyObject* borrowed_attribute(PyObject* object, const char* name) {
  return nb::object(nb::handle(object).attr(name)).ptr();
}

}  // namespace

SliceParts parts_of_slice(PyObject* slice) {
  return {borrowed_attribute(slice, "start"), borrowed_attribute(slice, "stop"),
          borrowed_attribute(slice, "step")};
}

#else

void check_interpreter() {}

bool has_interpreter_lock() noexcept { return PyGILState_Check() != 0; }

PyFrameObject* caller_of(PyFrameObject* frame) { return PyFrame_GetBack(frame); }

int instruction_of(PyFrameObject* frame) { return PyFrame_GetLasti(frame); }

int line_of(PyCodeObject* code, int instruction) { return PyCode_Addr2Line(code, instruction); }

PyObject* bind_method(PyObject* function, PyObject* instance) {
  return PyMethod_New(function, instance);
}

std::string name_of_type(PyTypeObject* type) { return type->tp_name; }

SliceParts parts_of_slice(PyObject* slice) {
  const auto* parts = reinterpret_cast<PySliceObject*>(slice);
  return {parts->start, parts->stop, parts->step};
}

#endif

std::string class_name(PyObject* object) { return name_of_type(Py_TYPE(object)); }

int set_type_attribute(PyObject* type, PyObject* name, PyObject* value) {
  if (PyObject_GenericSetAttr(type, name, value) != 0) return -1;
  PyType_Modified(reinterpret_cast<PyTypeObject*>(type));
  return 0;
}

}  // namespace cupola::python
