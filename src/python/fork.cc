// What Python knows of the process: where its program called us, its warnings, and forks.

#include "base/fork.h"

#include <memory>
#include <new>
#include <string>

#include "base/call_site.h"
#include "base/process_end.h"
#include "cupola/device_info.h"
#include "cupola/warnings.h"
#include "python/bindings.h"

namespace cupola::python {
namespace {

std::string* package_folder = nullptr;  // never destroyed

std::string text_attribute(PyObject* object, const char* name) {
  const nb::object value = nb::steal(PyObject_GetAttrString(object, name));
  if (!value.is_valid()) {
    PyErr_Clear();
    return {};
  }
  const char* text = PyUnicode_AsUTF8(value.ptr());
  if (!text) PyErr_Clear();
  return text ? text : "";
}

// "file.py:12 (function)" of the innermost frame outside the package. Needs the interpreter lock.
std::string find_site() {
  PyFrameObject* frame = PyEval_GetFrame();
  Py_XINCREF(reinterpret_cast<PyObject*>(frame));
  std::string site;
  while (frame && site.empty()) {
    const nb::object code = nb::steal(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
    const std::string file = text_attribute(code.ptr(), "co_filename");
    if (!package_folder || !file.starts_with(*package_folder)) {
      site = file + ":" + std::to_string(PyFrame_GetLineNumber(frame)) + " (" +
             text_attribute(code.ptr(), "co_name") + ")";
    }
    PyFrameObject* back = PyFrame_GetBack(frame);
    Py_DECREF(reinterpret_cast<PyObject*>(frame));
    frame = back;
  }
  Py_XDECREF(reinterpret_cast<PyObject*>(frame));
  return site;
}

std::string& noted_site() {
  thread_local std::string site;
  return site;
}

// As CallSiteProvider. A thread that has let go of the interpreter lock has noted the site before.
std::string provide_site() {
  if (!nb::is_alive()) return {};
  return PyGILState_Check() ? find_site() : noted_site();
}

int show_warning(void* data) {
  const std::unique_ptr<std::string> message(static_cast<std::string*>(data));
  if (PyErr_WarnEx(PyExc_RuntimeWarning, message->c_str(), 1) < 0) PyErr_WriteUnraisable(nullptr);
  return 0;
}

// As WarningHook. Never at once: the caller may hold locks, and filters may run any code.
void post_warning(const std::string& message) noexcept {
  if (!nb::is_alive()) return;
  auto* copy = new (std::nothrow) std::string(message);
  if (copy && Py_AddPendingCall(show_warning, copy) != 0) delete copy;
}

}  // namespace

void note_call_site() {
  if (PyGILState_Check()) noted_site() = find_site();
}

void bind_fork(nb::module_& m) {
  set_call_site_provider(provide_site);
  set_warning_hook(post_warning);
  m.def("set_package_folder",
        [](const std::string& folder) { package_folder = new std::string(folder); });
  m.def("cuda_is_initialized", [] { return cuda_is_initialized(); });
  m.def("device_initialization", [] { return device_initialization(); });
  m.def("note_process_end", [] { note_process_end(); });
  m.def("fork_generation", [] { return fork_generation(); });
}

}  // namespace cupola::python
