#pragma once
// How threads give the interpreter lock away and get it back.
//
// Python wakes a thread that waits for the lock when another gives it away. Until that thread runs
// the lock is idle, for tens of microseconds: longer than most calls of this library hold it.
// Threads that come back from the library therefore look around for a while before they ask Python,
// and only one of them at a time goes on, as soon as the one before has given the lock away.

#include <Python.h>

namespace cupola::python {

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

}  // namespace cupola::python
