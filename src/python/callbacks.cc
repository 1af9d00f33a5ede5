#include "python/callbacks.h"

#include <condition_variable>
#include <memory>
#include <mutex>

#include "base/fork.h"
#include "base/lazy.h"
#include "cupola/error.h"

namespace cupola::python {
namespace {

// How many callbacks hold, or are about to take, the interpreter lock.
class Callbacks {
 public:
  Callbacks() {
    at_fork(ForkLayer::python, {[this] { mutex_.lock(); }, [this] { mutex_.unlock(); },
                                [this] {
                                  running_ = 0;  // the threads stayed in the parent
                                  mutex_.unlock();
                                }});
  }
  bool begin() {
    const std::lock_guard lock(mutex_);
    if (ended_) return false;
    ++running_;
    return true;
  }
  void finish() {
    const std::lock_guard lock(mutex_);
    --running_;
    changed_.notify_all();
  }
  void end() {
    std::unique_lock lock(mutex_);
    ended_ = true;
    changed_.wait(lock, [this] { return running_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int running_ = 0;
  bool ended_ = false;
};

Callbacks& callbacks() {
  static constinit Lazy<Callbacks> instance;  // used until the very end of the process
  return *instance;
}

struct Call {
  PyObject* callback;
  PyObject* arguments;
};

void run(const Call& call) {
  if (!callbacks().begin()) return;
  with_interpreter([&] {
    PyObject* result = PyObject_CallObject(call.callback, call.arguments);
    if (!result) PyErr_WriteUnraisable(call.callback);
    Py_XDECREF(result);
  });
  callbacks().finish();
}

// A call that may be made again, by every launch of a graph. Any thread may drop the last copy.
std::shared_ptr<const Call> shared(Call call) {
  return {new Call(call), [](const Call* last) {
            release_reference(last->callback);
            release_reference(last->arguments);
            delete last;
          }};
}

void register_end() {
  static bool registered = false;
  if (registered) return;
  registered = true;
  nb::module_::import_("atexit").attr("register")(nb::cpp_function([] {
    Unlocked unlocked;
    callbacks().end();
  }));
}

}  // namespace

void launch_callback(const Stream& stream, nb::object callback, nb::tuple arguments) {
  if (!PyCallable_Check(callback.ptr())) {
    throw TypeError("the callback must be callable");
  }
  register_end();
  const auto call = shared({callback.release().ptr(), arguments.release().ptr()});
  const Unlocked unlocked;
  stream.launch_host_function([call] { run(*call); });
}

}  // namespace cupola::python
