#pragma once
// Runs schedules: claims what a task stores, finds memory for it, launches the task's kernel, and
// publishes what it will store. What other threads have computed meanwhile is not computed again.

#include "graph/schedule.h"

namespace cupola {

// Throws StaleSnapshot where the rest is to be scheduled anew. What has run until then, or until
// another exception, is stored. `at_once`: whether each task is tried so first
// (exec/launch/at_once.h).
void run(Schedule schedule, bool at_once);

// What `function` returns, called again where it throws StaleSnapshot, but not for ever.
template <typename Function>
auto while_stale(const Function& function) {
  constexpr int kMost = 1000;
  for (int call = 1;; ++call) {
    try {
      return function();
    } catch (const StaleSnapshot&) {
      if (call == kMost) throw;
    }
  }
}

}  // namespace cupola
