// What Python knows of the process: its warnings and forks.

#include "base/process/fork.h"

#include <memory>
#include <new>
#include <string>

#include "base/process/process_end.h"
#include "cupola/device_info.h"
#include "cupola/warnings.h"
#include "python/functions/direct_function.h"
#include "python/interpreter/interpreter_visit.h"

namespace cupola::python {
namespace {

PyObject* performance_warning = nullptr;

struct Posted {
  WarningKind kind;
  std::string message;
};

int show_warning(void* data) {
  const std::unique_ptr<Posted> posted(static_cast<Posted*>(data));
  PyObject* const category =
      posted->kind == WarningKind::performance ? performance_warning : PyExc_RuntimeWarning;
  if (PyErr_WarnEx(category, posted->message.c_str(), 1) < 0) PyErr_WriteUnraisable(nullptr);
  return 0;
}

// As WarningHook. Never at once: the caller may hold locks, and filters may run any code.
void post_warning(WarningKind kind, const std::string& message) noexcept {
  const InterpreterVisit visit;
  if (!visit) return;
  auto* posted = new (std::nothrow) Posted{kind, message};
  if (posted && Py_AddPendingCall(show_warning, posted) != 0) delete posted;
}

nb::object is_initialized() { return nb::bool_(cuda_is_initialized()); }

}  // namespace

void bind_fork(nb::module_& m) {
  performance_warning = PyErr_NewExceptionWithDoc(
      "cupola.errors.PerformanceWarning",
      "Results are right, but something takes longer than the program may expect.",
      PyExc_RuntimeWarning, nullptr);
  if (!performance_warning) throw nb::python_error();
  m.attr("PerformanceWarning") = nb::handle(performance_warning);
  set_warning_hook(post_warning);
  DirectFunction<is_initialized>::define(
      m,
      {"is_initialized", "() -> bool",
       "Whether this library or another has initialised CUDA in this process; asking does not.\n\n"
       "A process that was forked from one that had has no CUDA, so that this is False there.\n\n"
       "Returns\n-------\nbool\n\nExamples\n--------\n>>> import cupola as cp\n"
       ">>> isinstance(cp.cuda.is_initialized(), bool)\nTrue",
       "cupola.cuda"});
  m.def("device_initialization", [] { return device_initialization(); });
  m.def("note_process_end", [] { note_process_end(); });
  m.def("fork_generation", [] { return fork_generation(); });
}

}  // namespace cupola::python
