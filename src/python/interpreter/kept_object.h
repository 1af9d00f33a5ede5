#pragma once
// Objects of Python that are looked up once and kept for as long as the process lives.
//
// A function's own static variable would not do: while one thread looks the object up, which may
// take any time and let go of the interpreter lock, others would wait with the lock, or, where
// Python has none, keep the interpreter from stopping them for its garbage collection.

#include <nanobind/nanobind.h>

#include <atomic>

namespace cupola::python {

// To be declared `static constinit`. With the interpreter lock.
class KeptObject {
 public:
  constexpr KeptObject() = default;
  KeptObject(const KeptObject&) = delete;
  KeptObject& operator=(const KeptObject&) = delete;

  // What `make` returns. Several threads may call it at first; all get the same object.
  template <typename Make>
  nanobind::handle get(const Make& make) {
    if (PyObject* const known = object_.load(std::memory_order_acquire)) return known;
    nanobind::object made = make();
    PyObject* first = nullptr;
    if (!object_.compare_exchange_strong(first, made.ptr(), std::memory_order_acq_rel)) {
      return first;
    }
    return made.release();
  }

 private:
  std::atomic<PyObject*> object_{nullptr};
};

}  // namespace cupola::python
