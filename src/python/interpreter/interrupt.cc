// Ctrl-C, and other signals with handlers of the program, while the main thread waits.

#include "base/process/interrupt.h"

#include <pthread.h>

#include <atomic>

#include "base/process/fork.h"
#include "memory/hooks.h"
#include "python/bindings.h"

namespace cupola::python {
namespace {

// Python runs handlers in its main thread only, which after a fork is the one that forked.
std::atomic<pthread_t> main_thread{};

bool is_main_thread() {
  return pthread_equal(main_thread.load(), pthread_self()) && !has_interpreter_barrier();
}

void check_signals() {
  if (!is_main_thread() || !nb::is_alive()) return;
  const InterpreterLocked locked;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

}  // namespace

void bind_interrupts(nb::module_&) {
  const nb::object main = nb::module_::import_("threading").attr("main_thread")();
  main_thread = static_cast<pthread_t>(
      value_from<std::uint64_t>(main.attr("ident"), "the main thread", "a thread"));
  at_fork(ForkLayer::python, {{}, {}, [] { main_thread = pthread_self(); }});
  set_interrupt_check(check_signals, is_main_thread);
}

}  // namespace cupola::python
