#pragma once
// Where running tasks of the emulated devices pass, so that a fork finds none half done: a forked
// child has the memory as it is at that moment, and no thread to finish what another had begun.
// A fork waits for the tasks that are running, not for those that are queued; it never waits for
// functions of the user (run_on_host), which may wait for whoever forks.

namespace cupola::cpu {

// A task runs on this thread while it lives. May nest.
class RunningTask {
 public:
  RunningTask();
  ~RunningTask();
  RunningTask(const RunningTask&) = delete;
  RunningTask& operator=(const RunningTask&) = delete;
};

// For handlers around fork. close_gate() returns when no task runs and lets none begin.
void close_gate();
void open_gate();
void open_gate_in_child();

}  // namespace cupola::cpu
