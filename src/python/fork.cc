// What Python knows of the process: its warnings and forks.

#include "base/fork.h"

#include <memory>
#include <new>
#include <string>

#include "base/process_end.h"
#include "cupola/device_info.h"
#include "cupola/warnings.h"
#include "python/bindings.h"

namespace cupola::python {
namespace {

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

void bind_fork(nb::module_& m) {
  set_warning_hook(post_warning);
  m.def("cuda_is_initialized", [] { return cuda_is_initialized(); });
  m.def("device_initialization", [] { return device_initialization(); });
  m.def("note_process_end", [] { note_process_end(); });
  m.def("fork_generation", [] { return fork_generation(); });
}

}  // namespace cupola::python
