#include "python/devices/callbacks.h"

#include <memory>

#include "cupola/error.h"
#include "python/interpreter/interpreter_visit.h"
#include "python/interpreter/passed_reference.h"

namespace cupola::python {
namespace {

struct Call {
  PyObject* callback;
  PyObject* arguments;
};

void run(const Call& call) {
  const InterpreterVisit visit;
  if (!visit) return;
  with_interpreter([&] {
    PyObject* result = PyObject_CallObject(call.callback, call.arguments);
    if (!result) PyErr_WriteUnraisable(call.callback);
    Py_XDECREF(result);
  });
}

// A call that may be made again, by every launch of a graph. Any thread may drop the last copy.
std::shared_ptr<const Call> shared(Call call) {
  pass_on(call.callback);
  pass_on(call.arguments);
  return {new Call(call), [](const Call* last) {
            release_reference(last->callback);
            release_reference(last->arguments);
            delete last;
          }};
}

}  // namespace

void launch_callback(const Stream& stream, nb::object callback, nb::tuple arguments) {
  if (!PyCallable_Check(callback.ptr())) {
    throw TypeError("the callback must be callable");
  }
  const auto call = shared({callback.release().ptr(), arguments.release().ptr()});
  const Unlocked unlocked;
  stream.launch_host_function([call] { run(*call); });
}

}  // namespace cupola::python
