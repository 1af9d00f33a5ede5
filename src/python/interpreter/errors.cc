// The library's errors as Python exceptions.

#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <typeinfo>

#include "cupola/error.h"
#include "python/bindings.h"

namespace cupola::python {
namespace {

struct ErrorTypes {
  PyObject* implicit_host_copy;
  PyObject* casting;
  PyObject* out_of_memory;
  PyObject* device;
  PyObject* fault;
  PyObject* capture;
  PyObject* launch;
  PyObject* compile_exception;
  PyObject* peer_access;
  PyObject* forked_process;
  PyObject* library;
  PyObject* axis;    // numpy.exceptions.AxisError
  PyObject* linalg;  // numpy.linalg.LinAlgError
};
ErrorTypes types;  // references are kept for the process's life

PyObject* make_type(nb::module_& m, const char* name, const char* doc, PyObject* base) {
  const std::string qualified = std::string("cupola.errors.") + name;
  PyObject* type = PyErr_NewExceptionWithDoc(qualified.c_str(), doc, base, nullptr);
  if (!type) throw nb::python_error();
  m.attr(name) = nb::handle(type);
  return type;
}

// numpy.exceptions.AxisError(axis, ndim) where the text has NumPy's form, so that its attributes
// are set as well.
void set_axis_error(const AxisError& error) {
  long long axis = 0;
  int rank = 0;
  int end = 0;
  const char* text = error.what();
  if (std::sscanf(text, "axis %lld is out of bounds for array of dimension %d%n", &axis, &rank,
                  &end) == 2 &&
      text[end] == '\0') {
    PyErr_SetObject(types.axis, nb::make_tuple(axis, rank).ptr());
  } else {
    PyErr_SetString(types.axis, text);
  }
}

// With the platform's own code as the attribute `status`.
void set_device_error(PyObject* type, const DeviceError& error) {
  const nb::object exception = nb::steal(PyObject_CallFunction(type, "s", error.what()));
  if (!exception.is_valid()) return;  // that call's own error
  exception.attr("status") = error.status();
  PyErr_SetObject(type, exception.ptr());
}

// What no error of ours stands for. The call is named by its place in the program.
void set_unexpected(PyObject* type, const char* what) {
  const std::string place = call_site();
  const std::string text = "the call" + (place.empty() ? place : " at " + place) + " " + what;
  PyErr_SetString(type, text.c_str());
}

void translate(const std::exception_ptr& pointer, void*) {
  if (!pointer) stay_until_process_ends();  // Python ends the thread
  try {
    std::rethrow_exception(pointer);
  } catch (const AxisError& error) {
    set_axis_error(error);
  } catch (const LinAlgError& error) {
    PyErr_SetString(types.linalg, error.what());
  } catch (const CastingError& error) {
    PyErr_SetString(types.casting, error.what());
  } catch (const ImplicitHostCopyError& error) {
    PyErr_SetString(types.implicit_host_copy, error.what());
  } catch (const ValueError& error) {
    PyErr_SetString(PyExc_ValueError, error.what());
  } catch (const TypeError& error) {
    PyErr_SetString(PyExc_TypeError, error.what());
  } catch (const IndexError& error) {
    PyErr_SetString(PyExc_IndexError, error.what());
  } catch (const OverflowError& error) {
    PyErr_SetString(PyExc_OverflowError, error.what());
  } catch (const BufferError& error) {
    PyErr_SetString(PyExc_BufferError, error.what());
  } catch (const OutOfMemoryError& error) {
    PyErr_SetString(types.out_of_memory, error.what());
  } catch (const FaultError& error) {
    set_device_error(types.fault, error);
  } catch (const CaptureError& error) {
    set_device_error(types.capture, error);
  } catch (const DeviceError& error) {
    set_device_error(types.device, error);
  } catch (const LaunchError& error) {
    PyErr_SetString(types.launch, error.what());
  } catch (const CompileError& error) {
    PyErr_SetString(types.compile_exception, error.what());
  } catch (const PeerAccessError& error) {
    PyErr_SetString(types.peer_access, error.what());
  } catch (const ForkedProcessError& error) {
    PyErr_SetString(types.forked_process, error.what());
  } catch (const LibraryError& error) {
    PyErr_SetString(types.library, error.what());
  } catch (const Error& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  } catch (nb::python_error& error) {
    error.restore();
  } catch (const nb::builtin_exception&) {
    throw;  // nanobind's own
  } catch (const std::bad_cast&) {
    set_unexpected(PyExc_TypeError, "has an argument of a type that it cannot use");
  } catch (const std::bad_alloc&) {
    set_unexpected(PyExc_MemoryError, "needs more memory than the host has");
  } catch (const std::length_error&) {
    set_unexpected(PyExc_MemoryError, "needs more memory than a process can have");
  } catch (const std::exception& error) {
    const std::string what = std::string("failed: ") + error.what();
    set_unexpected(PyExc_RuntimeError, what.c_str());
  }
}

}  // namespace

void set_error_from_exception() noexcept {
  try {
    translate(std::current_exception(), nullptr);
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
}

void bind_errors(nb::module_& m) {
  types.implicit_host_copy =
      make_type(m, "ImplicitHostCopyError",
                "An array on a CUDA device was used where only host memory will do; "
                "`cupola.asnumpy` copies it there.",
                PyExc_TypeError);
  types.casting = make_type(m, "CastingError", "The casting rule does not allow the conversion.",
                            PyExc_TypeError);
  types.out_of_memory =
      make_type(m, "OutOfMemoryError", "A device has no memory left.", PyExc_MemoryError);
  types.device =
      make_type(m, "DeviceError", "A device does not exist, or the operands are on different ones.",
                PyExc_RuntimeError);
  nb::handle(types.device).attr("status") = 0;
  types.fault = make_type(
      m, "FaultError", "The device is out of use since its work failed; the message repeats how.",
      types.device);
  types.capture = make_type(
      m, "CaptureError",
      "A stream that is being captured refuses the call, or the capture failed (cudaErrorStream"
      "Capture...).",
      types.device);
  types.launch = make_type(m, "LaunchError", "A kernel could not be started.", PyExc_RuntimeError);
  PyObject* compile = make_type(m, "CompileError", "A kernel did not compile.", PyExc_RuntimeError);
  types.compile_exception =
      make_type(m, "CompileException",
                "CuPy's name for it: the log, and the source with numbered lines.", compile);
  types.peer_access = make_type(
      m, "PeerAccessError", "Two devices cannot reach each other's memory.", PyExc_RuntimeError);
  types.forked_process = make_type(
      m, "ForkedProcessError", "A device was used in a forked child process.", PyExc_RuntimeError);
  types.library = make_type(m, "LibraryError", "A library that is needed cannot be opened.",
                            PyExc_RuntimeError);
  types.axis = nb::module_::import_("numpy.exceptions").attr("AxisError").inc_ref().ptr();
  types.linalg = nb::module_::import_("numpy.linalg").attr("LinAlgError").inc_ref().ptr();
  nb::register_exception_translator(translate);
}

}  // namespace cupola::python
