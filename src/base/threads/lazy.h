#pragma once
// Objects of the whole process that are made when they are first asked for, and live for ever.
//
// A function's own static variable would not do: while one thread makes it another may fork, and
// in the child, where the first thread is not, whoever asks for it waits for ever. scripts/check.py
// finds such variables.

#include <atomic>
#include <mutex>

#include "base/threads/mutex.h"

namespace cupola {

// To be declared `static constinit`. From any thread, and in a forked child.
template <typename T>
class Lazy {
 public:
  constexpr Lazy() = default;
  Lazy(const Lazy&) = delete;
  Lazy& operator=(const Lazy&) = delete;

  T& operator*() {
    return find([] { return new T(); });
  }
  // What `make` returns, where nothing is made yet. One that throws has made nothing.
  template <typename Make>
  T& get(const Make& make) {
    return find([&] { return new T(make()); });
  }

 private:
  template <typename MakeNew>
  T& find(const MakeNew& make_new) {
    if (T* known = made_.load(std::memory_order_acquire)) return *known;
    const std::scoped_lock lock(mutex_);
    T* known = made_.load(std::memory_order_relaxed);
    if (known == nullptr) {
      known = make_new();
      made_.store(known, std::memory_order_release);
    }
    return *known;
  }

  Mutex mutex_;
  std::atomic<T*> made_{nullptr};
};

}  // namespace cupola
