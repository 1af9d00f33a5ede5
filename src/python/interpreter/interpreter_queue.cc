// What threads without the interpreter lock leave to the interpreter.

#include <pthread.h>

#include <condition_variable>
#include <csignal>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/process/fork.h"
#include "base/threads/lazy.h"
#include "python/bindings.h"
#include "python/interpreter/interpreter_visit.h"

namespace cupola::python {
namespace {

using Action = std::pair<void (*)(void*), void*>;

int run_pending(void*);

// Actions are done by the main thread, between two of its instructions, or by a thread of ours as
// soon as it gets the interpreter lock: whichever is first.
class InterpreterQueue {
 public:
  InterpreterQueue() {
    at_fork(ForkLayer::python, {[this] { mutex_.lock(); }, [this] { mutex_.unlock(); },
                                [this] {
                                  started_ = false;  // the thread stayed in the parent
                                  mutex_.unlock();
                                }});
  }
  void add(Action action) {
    {
      const std::lock_guard lock(mutex_);
      if (ended_) return;
      actions_.push_back(action);
      if (!started_) start();
      changed_.notify_all();
    }
    // Fails when many are pending: the thread does it then. Before Python 3.12 it looks at the
    // state of the thread that has the lock, which may be ending.
    if (PY_VERSION_HEX >= 0x030C0000) Py_AddPendingCall(run_pending, nullptr);
  }
  // With the interpreter lock.
  void run() {
    std::vector<Action> actions;
    {
      const std::lock_guard lock(mutex_);
      actions.swap(actions_);
    }
    for (const auto& [function, argument] : actions) function(argument);
  }
  // Without it. Afterwards nothing is added.
  void end() {
    std::unique_lock lock(mutex_);
    ended_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return !started_; });
  }

 private:
  void start() {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);  // signals are for the interpreter's own threads
    try {
      std::thread([this] { serve(); }).detach();
      started_ = true;
    } catch (...) {
      // The main thread does it all.
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  void serve() {
    with_interpreter([this] {
      PyThreadState* own = PyEval_SaveThread();
      serve_as(own);
      PyEval_RestoreThread(own);
    });
    const std::lock_guard lock(mutex_);
    started_ = false;
    changed_.notify_all();
  }
  void serve_as(PyThreadState*& own) {
    std::unique_lock lock(mutex_);
    while (!ended_) {
      if (actions_.empty()) {
        changed_.wait(lock);
        continue;
      }
      lock.unlock();
      PyEval_RestoreThread(own);
      run();
      own = PyEval_SaveThread();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Action> actions_;
  bool started_ = false;
  bool ended_ = false;
};

InterpreterQueue& queue() {
  static constinit Lazy<InterpreterQueue> instance;  // used until the very end of the process
  return *instance;
}

int run_pending(void*) {
  queue().run();
  return 0;
}

}  // namespace

void run_with_interpreter(void (*function)(void*), void* argument) noexcept {
  const InterpreterVisit visit;
  if (!visit) return;
  if (has_interpreter_lock()) {
    function(argument);
    return;
  }
  queue().add({function, argument});
}

void release_reference(PyObject* object) noexcept {
  run_with_interpreter([](void* pointer) { Py_DECREF(static_cast<PyObject*>(pointer)); }, object);
}

void bind_interpreter_queue(nb::module_&) {
  nb::module_::import_("atexit").attr("register")(nb::cpp_function([] {
    {
      Unlocked unlocked;
      end_visits();
      queue().end();
    }
    queue().run();
  }));
}

}  // namespace cupola::python
