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
struct RehearsedLaunch : PlannedLaunch {
  CallPosition position;  // where the program asked for what it computes
};
// An array that a kernel of its own computes.
struct RehearsedCut {
  std::uintptr_t address;  // made up, as that of the launches
  CutReason reason;
};
struct RehearsedWork {
  // In the order in which they would be launched; none for arrays that are stored.
  std::vector<RehearsedLaunch> launches;
  std::vector<RehearsedCut> cuts;
};
RehearsedWork rehearse(std::span<const Array> arrays);

// While one lives, its thread's evaluation asks it for memory, and hands kernels to it.
class Rehearsal {
 public:
  Rehearsal() noexcept;
  ~Rehearsal();
  Rehearsal(const Rehearsal&) = delete;
  Rehearsal& operator=(const Rehearsal&) = delete;
  // Null where work is real.
  static Rehearsal* of_thread() noexcept { return current_; }

  Array place(const Array& pending);
  void add(PlannedLaunch planned);
  // Of a region whose barriers have been evaluated.
  void note_cuts(const Region& region);
  RehearsedWork take() { return std::move(work_); }

 private:
  inline static thread_local Rehearsal* current_ = nullptr;
  Rehearsal* const outer_;
  std::uintptr_t next_address_;
  RehearsedWork work_;
};

}  // namespace cupola
