#pragma once
// What evaluate() would do now, found out by letting it: on a copy of the pending graph, with
// memory that is not there and kernels that are only noted. Nothing is allocated, compiled,
// launched or computed, and what is pending stays so.

#include <cstdint>
#include <span>
#include <vector>

#include "base/call_site.h"
#include "codegen/planner.h"
#include "graph/fusion.h"
#include "graph/node.h"

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

// While one lives, its thread's evaluation asks it for memory, and hands kernels to it.
class DryRun {
 public:
  DryRun() noexcept;
  ~DryRun();
  DryRun(const DryRun&) = delete;
  DryRun& operator=(const DryRun&) = delete;
  // Null where work is real.
  static DryRun* of_thread() noexcept { return current_; }

  Array place(const Array& pending);
  void add(PlannedLaunch planned);
  // Of a region whose inputs have been materialized.
  void note_cuts(const Region& region);
  DryRunWork take() { return std::move(work_); }

 private:
  inline static thread_local DryRun* current_ = nullptr;
  DryRun* const outer_;
  std::uintptr_t next_address_;
  DryRunWork work_;
};

}  // namespace cupola
