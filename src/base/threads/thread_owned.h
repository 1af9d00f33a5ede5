#pragma once
// Objects of which each thread has one, made when it first asks for it.
//
// Programs compute until the very end: in destructors of their own thread-local and static
// variables, and in exit handlers. A thread-local variable with a destructor may be gone by then.
// These objects go after all thread-local variables of their thread; one that is asked for later
// still is made anew. Those of the thread that ends the process stay.

#include <memory>

namespace cupola {

// Calls function(argument) when the thread ends, after the destructors of its thread-local
// variables. Throws std::bad_alloc.
void at_thread_end(void (*function)(void*), void* argument);

// One object for each type T.
template <typename T>
class ThreadOwned {
 public:
  static T& get() {
    T* const known = object_;
    return known ? *known : make();
  }

 private:
  [[gnu::noinline]] static T& make() {
    auto made = std::make_unique<T>();
    at_thread_end(destroy, made.get());
    object_ = made.release();
    return *object_;
  }
  static void destroy(void* object) {
    object_ = nullptr;
    delete static_cast<T*>(object);
  }

  inline static constinit thread_local T* object_ = nullptr;
};

}  // namespace cupola
