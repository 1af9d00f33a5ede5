#pragma once

namespace cupola {

// How many processors the calling thread may run on (taskset, containers), at least 1. A thread has
// those of its creator, so that a process that restricts itself early does so for its pools.
int usable_processors();

}  // namespace cupola
