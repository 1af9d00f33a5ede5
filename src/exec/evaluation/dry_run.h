#pragma once
// What evaluate() would do now: the schedule, and the plan of each of its tasks for memory that is
// not there. Nothing is allocated, compiled, launched or computed, and what is pending stays so.

#include <cstdint>
#include <span>
#include <vector>

#include "base/call_site.h"
#include "codegen/planner.h"
#include "graph/fusion.h"

namespace cupola {

// Arrays in `reads` and `writes` that are pending now have made-up addresses.
struct DryRunLaunch : PlannedLaunch {
  CallPosition position;  // where the program asked for what it computes
};
// An array that a kernel of its own computes.
struct DryRunCut {
  std::uintptr_t address;  // made up, as that of the launches
  CutReason reason;
};
struct DryRunWork {
  // In the order in which they would be launched; none for arrays that are stored.
  std::vector<DryRunLaunch> launches;
  std::vector<DryRunCut> cuts;
};
DryRunWork dry_run_of(std::span<const Array> arrays);

}  // namespace cupola
