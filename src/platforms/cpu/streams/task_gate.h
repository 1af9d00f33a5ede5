#pragma once
// Where running tasks of the emulated devices and changes of their streams pass, so that a fork
// finds none half done: a forked child has the memory as it is at that moment, and no thread to
// finish what another had begun. A fork waits for the tasks that are running, not for those that
// are queued; it never waits for functions of the user (run_on_host), which may wait for whoever
// forks. It takes no lock of a stream, however many there are.

#include <mutex>

namespace cupola::cpu {

// Between the two a fork waits for this thread, which must not wait for locks of upper layers
// meanwhile. Waits while the gate is closed; may nest.
void enter_gate() noexcept;
void leave_gate() noexcept;

// A task runs on this thread while it lives. May nest.
class RunningTask {
 public:
  RunningTask() noexcept { enter_gate(); }
  ~RunningTask() { leave_gate(); }
  RunningTask(const RunningTask&) = delete;
  RunningTask& operator=(const RunningTask&) = delete;
};

// Held only within the gate: a fork finds it open and what it guards whole.
class GatedMutex {
 public:
  void lock() {
    enter_gate();
    mutex_.lock();
  }
  void unlock() {
    mutex_.unlock();
    leave_gate();
  }
  // For a thread that is within the gate, and stays there while it holds it.
  std::mutex& within_gate() { return mutex_; }

 private:
  std::mutex mutex_;
};

// For handlers around fork. close_gate() returns when nobody is within the gate
// but this thread, and lets nobody enter.
void close_gate();
void open_gate();
void open_gate_in_child();

}  // namespace cupola::cpu
