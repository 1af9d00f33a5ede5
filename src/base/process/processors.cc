#include "base/process/processors.h"

#include <sched.h>

#include <algorithm>
#include <thread>

namespace cupola {

int usable_processors() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  // More than a cpu_set_t holds.
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace cupola
