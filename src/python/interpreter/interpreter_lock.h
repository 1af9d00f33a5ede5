#pragma once
// How threads give the interpreter lock away and get it back.
//
// Python wakes a thread that waits for the lock when another gives it away. Until that thread runs
// the lock is idle, for tens of microseconds: longer than most calls of this library hold it.
// Threads that come back from the library therefore look around for a while before they ask Python,
// and only one of them at a time goes on, as soon as the one before has given the lock away.
//
// Up to version 3.13 Python ends a thread that asks for the lock when the interpreter has ended, by
// unwinding its stack, and the first function there that cannot throw would end the process.
// Such threads stay where they are until the process ends, as they do in Python 3.14.

#include <Python.h>
#include <cxxabi.h>

namespace cupola::python {

[[noreturn]] void stay_until_process_ends() noexcept;

// Calls `function`, in which Python may end the thread: it stays here then.
template <typename Function>
auto outlive_interpreter(const Function& function) {
  try {
    return function();
  } catch (abi::__forced_unwind&) {
    stay_until_process_ends();
  }
}

// The interpreter lock is open while it lives.
class [[gnu::visibility("hidden")]] InterpreterUnlocked {
 public:
  InterpreterUnlocked() noexcept;
  ~InterpreterUnlocked();
  InterpreterUnlocked(const InterpreterUnlocked&) = delete;
  InterpreterUnlocked& operator=(const InterpreterUnlocked&) = delete;

 private:
  PyThreadState* const state_;
};

// The thread has the interpreter lock while it lives; on any thread, with the lock or without.
class [[gnu::visibility("hidden")]] InterpreterLocked {
 public:
  InterpreterLocked() : state_(outlive_interpreter([] { return PyGILState_Ensure(); })) {}
  ~InterpreterLocked() { PyGILState_Release(state_); }
  InterpreterLocked(const InterpreterLocked&) = delete;
  InterpreterLocked& operator=(const InterpreterLocked&) = delete;

 private:
  const PyGILState_STATE state_;
};

// Calls `function` with the interpreter lock.
template <typename Function>
auto with_interpreter(const Function& function) {
  return outlive_interpreter([&] {
    const InterpreterLocked locked;
    return function();
  });
}

}  // namespace cupola::python
