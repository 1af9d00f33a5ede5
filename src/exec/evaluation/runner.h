#pragma once
// Runs schedules: claims what a task stores, finds memory for it, launches the task's kernel, and
// publishes what it will store. What other threads have computed meanwhile is not computed again.

#include "graph/schedule.h"

namespace cupola {

// Throws StaleSnapshot where the rest is to be scheduled anew. What has run until then, or until
// another exception, is stored. `at_once`: whether each task is tried so first
// (exec/launch/at_once.h).
void run(Schedule schedule, bool at_once);

}  // namespace cupola
