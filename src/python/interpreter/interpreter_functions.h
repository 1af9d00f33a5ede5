#pragma once
// Functions of CPython that its stable ABI has not, and what macros and fields of structures do in
// other builds. An extension for the stable ABI finds the functions by name in the interpreter that
// loads it.

#include <Python.h>

#include <string>

namespace cupola::python {

// Throws LibraryError where this interpreter lacks one of the functions.
void check_interpreter();

// Whether this thread has the interpreter lock.
bool has_interpreter_lock() noexcept;

// A new reference to the frame that called this one; null for the outermost.
PyFrameObject* caller_of(PyFrameObject* frame);
// The instruction that runs in it.
int instruction_of(PyFrameObject* frame);
int line_of(PyCodeObject* code, int instruction);

// A new reference to `function` as a method of `instance`.
PyObject* bind_method(PyObject* function, PyObject* instance);

// As messages of Python have it: with its module where it is a class of C, as in "numpy.ndarray",
// but not for classes of Python or built-in ones.
std::string name_of_type(PyTypeObject* type);
// Of its class, for messages.
std::string class_name(PyObject* object);

// Also of classes that are closed to Python code. 0, or -1 with an error set.
int set_type_attribute(PyObject* type, PyObject* name, PyObject* value);

// Borrowed from the slice, which lives as long as its parts are used.
struct SliceParts {
  PyObject* start;
  PyObject* stop;
  PyObject* step;
};
SliceParts parts_of_slice(PyObject* slice);

}  // namespace cupola::python
