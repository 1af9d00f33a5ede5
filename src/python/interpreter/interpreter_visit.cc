#include "python/interpreter/interpreter_visit.h"

#include <nanobind/nanobind.h>

#include <condition_variable>
#include <mutex>

#include "base/process/fork.h"
#include "base/threads/lazy.h"

namespace cupola::python {
namespace {

constinit thread_local int depth = 0;  // of this thread's visits
constinit thread_local bool is_ending = false;

class Visits {
 public:
  Visits() {
    at_fork(ForkLayer::python, {[this] { mutex_.lock(); }, [this] { mutex_.unlock(); },
                                [this] {
                                  running_ = depth > 0 ? 1 : 0;  // others stayed in the parent
                                  mutex_.unlock();
                                }});
  }
  bool begin() {
    const std::lock_guard lock(mutex_);
    if (has_ended_) return false;
    ++running_;
    return true;
  }
  void finish() {
    const std::lock_guard lock(mutex_);
    if (--running_ == 0) changed_.notify_all();
  }
  void end() {
    std::unique_lock lock(mutex_);
    has_ended_ = true;
    changed_.wait(lock, [this] { return running_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int running_ = 0;  // threads
  bool has_ended_ = false;
};

Visits& visits() {
  static constinit Lazy<Visits> instance;  // used until the very end of the process
  return *instance;
}

}  // namespace

InterpreterVisit::InterpreterVisit() {
  if (is_ending) {
    is_open_ = nanobind::is_alive();
    return;
  }
  is_counted_ = is_open_ = depth > 0 || visits().begin();
  if (is_counted_) ++depth;
}

InterpreterVisit::~InterpreterVisit() {
  if (is_counted_ && --depth == 0) visits().finish();
}

void end_visits() {
  is_ending = true;
  visits().end();
}

}  // namespace cupola::python
