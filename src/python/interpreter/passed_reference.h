#pragma once
// References that are made on one thread and dropped on another.
//
// Python without an interpreter lock counts the references of the thread that made an object apart
// from those of all others. Another thread that drops one of the former leaves that to the thread
// that made the object, which may be waiting for that very thing.

#include <Python.h>

#include <atomic>

namespace cupola::python {

// A reference of this thread is counted with those of all threads from now on, and goes at once
// where it is dropped. Null is allowed.
inline void pass_on([[maybe_unused]] PyObject* object) noexcept {
#ifdef Py_GIL_DISABLED
  if (!object) return;
  constexpr Py_ssize_t kOne = Py_ssize_t{1} << _Py_REF_SHARED_SHIFT;
  std::atomic_ref<Py_ssize_t>(object->ob_ref_shared).fetch_add(kOne, std::memory_order_relaxed);
  Py_DECREF(object);
#endif
}

}  // namespace cupola::python
