#pragma once
// What keeps the parts of an instance together where Python has no interpreter lock to do so.

#include <Python.h>

#include "base/threads/mutex.h"

namespace cupola::python {

// For a few instructions that neither wait nor call Python. Nothing where there is an interpreter
// lock. Moving an instance makes another, open one.
class ObjectMutex {
 public:
  constexpr ObjectMutex() = default;
#ifdef Py_GIL_DISABLED
  ObjectMutex(ObjectMutex&&) noexcept {}
  ObjectMutex& operator=(ObjectMutex&&) noexcept { return *this; }
  ~ObjectMutex() = default;
  void lock() noexcept { mutex_.lock(); }
  void unlock() noexcept { mutex_.unlock(); }

 private:
  Mutex mutex_;
#else
  void lock() noexcept {}
  void unlock() noexcept {}
#endif
};

}  // namespace cupola::python
