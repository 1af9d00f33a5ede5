#pragma once
// Elements of lists and tuples, with or without an interpreter lock around them.

#include <nanobind/nanobind.h>

namespace cupola::python {

// Where other threads may change a list meanwhile, a reference of its own.
#ifdef Py_GIL_DISABLED
using ListItem = nanobind::object;
#else
using ListItem = nanobind::handle;
#endif

// Null where another thread has made the list shorter.
inline ListItem item_at(nanobind::handle list, Py_ssize_t i) noexcept {
#ifdef Py_GIL_DISABLED
  if (!PyList_Check(list.ptr())) return nanobind::borrow(PyTuple_GetItem(list.ptr(), i));
  PyObject* const item = PyList_GetItemRef(list.ptr(), i);
  if (!item) PyErr_Clear();
  return nanobind::steal(item);
#else
  return PyList_Check(list.ptr()) ? PyList_GetItem(list.ptr(), i) : PyTuple_GetItem(list.ptr(), i);
#endif
}

}  // namespace cupola::python
