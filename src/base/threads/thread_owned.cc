#include "base/threads/thread_owned.h"

#include <pthread.h>

#include <new>

#include "base/threads/lazy.h"

namespace cupola {

namespace {

struct Action {
  void (*function)(void*);
  void* argument;
  Action* next;
};
constinit thread_local Action* last = nullptr;

void run_actions(void*) {
  while (Action* const action = last) {
    last = action->next;
    action->function(action->argument);
    delete action;
  }
}

// The destructors of a thread's specific values run after those of its thread-local variables, and
// again where values were set meanwhile; not in the thread that ends the process.
struct Key {
  Key() {
    if (pthread_key_create(&key, run_actions) != 0) throw std::bad_alloc();
  }
  pthread_key_t key{};
};

}  // namespace

void at_thread_end(void (*function)(void*), void* argument) {
  static constinit Lazy<Key> instance;
  auto action = std::make_unique<Action>(function, argument, last);
  if (pthread_setspecific((*instance).key, &last) != 0) throw std::bad_alloc();
  last = action.release();
}

}  // namespace cupola
